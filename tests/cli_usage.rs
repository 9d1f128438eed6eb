//! Arguments that make no sense, help, colour.

mod program;

use program::{awari, databases};

#[test]
fn every_command_helps_with_examples() {
    for command in ["build", "probe", "line", "play", "stats", "info", "verify", "convert", "serve"] {
        let run = awari(databases(), &[command, "--help"]).exits(0);
        assert!(
            run.stdout.contains("Examples:") && run.stdout.contains(&format!("awari {command}")),
            "{run:#?}"
        );
        assert_eq!(run.stderr, "");
    }
    awari(databases(), &["--help"]).exits(0).prints(&[
        "build",
        "probe",
        "line",
        "play",
        "stats",
        "info",
        "verify",
        "convert",
        "Exit codes",
    ]);
    awari(databases(), &["--version"]).exits(0).prints(&["awari 0.1.0"]);
}

#[test]
fn what_makes_no_sense_exits_with_2() {
    awari(databases(), &[]).exits(2);
    awari(databases(), &["bild"]).exits(2).says(&["bild"]);
    awari(databases(), &["build"]).exits(2).says(&["--stones"]);
    awari(databases(), &["build", "--stones", "49"]).exits(2).says(&["49 is not in 0..=48"]);
    awari(databases(), &["build", "--stones", "-1"]).exits(2);
    awari(databases(), &["build", "--stones", "3", "--threads", "0"]).exits(2).says(&["threads"]);
    awari(databases(), &["build", "--stones", "3", "--threads", "1025"]).exits(2).says(&["1..=1024"]);
    awari(databases(), &["stats", "--rules", "oware"]).exits(2).says(&["oware", "awari, abapa, slam-ends"]);
}

#[test]
fn nothing_is_coloured_where_nobody_looks() {
    for arguments in [&["probe", "0 0 1 0 0 2 / 1 2 0 0 1 0"][..], &["stats"], &["info"], &["probe", "x"]] {
        let run = awari(databases(), arguments);
        assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'), "{run:#?}");
    }
}
