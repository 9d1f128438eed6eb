//! `awari solve`.

mod program;

use std::process::Stdio;

use program::{awari, command, copy, databases, interrupt, wait_for_work};

/// A board of 13 stones, and its value by the tables.
const BOARD: &str = "0 1 2 2 1 1 / 1 0 2 1 1 1";

#[test]
fn the_value_is_that_of_the_tables() {
    let dir = copy();
    let solved = awari(dir.path(), &["solve", "--json", BOARD]).exits(0).json().remove(0);
    assert_eq!((&solved["tables_to"], &solved["made_to"]), (&8.into(), &13.into()));
    assert_eq!(program::names(&dir.path().join("awari")).len(), 9, "nothing is written");
    awari(dir.path(), &["build", "--stones", "13"]).exits(0);
    let probed = awari(dir.path(), &["probe", "--json", BOARD]).exits(0).json().remove(0);
    assert_eq!(solved["value"], probed["value"]);
    let moves = probed["moves"].as_array().unwrap();
    assert!(moves.iter().any(|play| play["pit"] == solved["best"] && play["best"] == true));
    let run = awari(dir.path(), &["solve", BOARD]).exits(0);
    run.prints(&[&format!("value  {:+}  proved", probed["value"].as_i64().unwrap()), "keep the value"]);
    // Search alone: bounds of the same value.
    let arguments = ["solve", "--json", "--no-build", "--nodes", "30000", "--tables-to", "7", BOARD];
    let bounds = awari(dir.path(), &arguments).exits(0).json().remove(0);
    let of = |key: &str| bounds[key].as_i64().unwrap();
    assert!(of("lower") <= of("upper") && of("nodes") <= 30_000);
    assert!((of("lower")..=of("upper")).contains(&probed["value"].as_i64().unwrap()), "{bounds}");
    assert_eq!(bounds["made_to"], 7);
}

#[test]
fn interrupted_it_tells_the_bounds_so_far() {
    let mut command = command(databases(), &["solve", "--no-build", "--json", "2 1 4 2 1 3 / 1 3 2 1 2 3"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_work(2.0, &mut child);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["value"].is_null() && answer["lower"].as_i64() < answer["upper"].as_i64());
    assert!(answer["best"].is_string() && answer["nodes"].as_u64() > Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("stopped"));
}

#[test]
fn what_cannot_be_done_is_said() {
    let solve = |arguments: &[&str]| awari(databases(), &[&["solve"], arguments].concat());
    for time in ["", "x", "1y", "-3s", "nan", "inf", "1e300h"] {
        solve(&[&format!("--time={time}"), BOARD]).exits(2).says(&["--time"]);
    }
    solve(&["--memory", "much", BOARD]).exits(2).says(&["--memory"]);
    solve(&["3 4 4 4 4 4 / 4 4 4 4 4 4"]).exits(1).says(&["47 stones"]);
    solve(&["--memory", "900T", "--no-build", BOARD]).exits(1).says(&["not enough memory"]);
    let run = awari(databases(), &["probe", BOARD]).exits(1);
    run.says(&[&format!("Or search: awari solve '{BOARD}' --rules awari --dir")]);
}
