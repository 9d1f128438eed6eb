//! Every command reads directories of the Vrije Universiteit's files `scores.N` as they are.

mod program;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use awari::table::vu::{self, VuTable};
use awari::{Rules, Tablebase};
use program::{awari, names};
use serde_json::Value;
use tempfile::TempDir;

const STONES: u32 = 9;
const POSITION: &str = "0 0 1 0 0 2 / 1 2 0 0 1 0";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Tables of up to [`STONES`] stones with depths in `own`, compressed ones made of those in `small`,
/// and what became of those as files of the other layout in `vu`; that without `scores.0`, as it is
/// published.
fn all() -> &'static Path {
    static DIR: OnceLock<TempDir> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let [own, small, vu] = ["own", "small", "vu"].map(|name| dir.path().join(name));
        awari(&own, &["build", "--stones", "9", "--depth"]).exits(0);
        awari(&own, &["convert", "--to", "compressed", text(&small)]).exits(0);
        awari(&small, &["convert", "--to", "vu", text(&vu)]).exits(0);
        fs::remove_file(vu.join("scores.0")).unwrap();
        dir
    })
    .path()
}

/// A copy of the files.
fn copy() -> TempDir {
    let dir = TempDir::new().unwrap();
    for name in names(&all().join("vu")) {
        fs::copy(all().join("vu").join(&name), dir.path().join(&name)).unwrap();
    }
    dir
}

#[test]
fn every_command_reads_them() {
    let (own, vu) = (all().join("own"), all().join("vu"));
    let said = |dir: &Path, arguments: &[&str]| awari(dir, arguments).exits(0).json();
    // The last is a board that no move leads to, the one before has no stones to move.
    for position in [POSITION, "0 0 0 0 0 0 / 1 2 0 0 1 0", "0 0 2 0 0 0 / 1 1 1 1 1 1"] {
        let [mine, theirs] = [&own, &vu].map(|dir| said(dir, &["probe", "--json", position]));
        assert_eq!(mine[0]["value"], theirs[0]["value"]);
        for (mine, theirs) in
            mine[0]["moves"].as_array().unwrap().iter().zip(theirs[0]["moves"].as_array().unwrap())
        {
            for key in ["pit", "value", "captured", "best"] {
                assert_eq!(mine[key], theirs[key]);
            }
        }
        let [mine, theirs] = [&own, &vu].map(|dir| said(dir, &["line", "--json", position]));
        assert_eq!(mine[0]["difference"], theirs[0]["difference"]);
    }
    let lines = said(&vu, &["stats", "--json"]);
    assert_eq!(lines.len() as u32, STONES);
    for (mine, theirs) in said(&own, &["stats", "--json"])[1..].iter().zip(&lines) {
        for key in ["stored", "all"] {
            assert_eq!(mine[key]["histogram"], theirs[key]["histogram"]);
        }
    }
    let run = program::awari_with_input(&vu, &["play", POSITION], "?\nq\n").exits(0);
    run.prints(&["best", "You stop."]);
    awari(&vu, &["verify"]).exits(0).prints(&[" 9 stones", "known good", "Consistent"]);
    awari(&vu, &["info"]).exits(0).prints(&["vu", "8.00", "no checksum of their own", "good"]);
    let infos = said(&vu, &["info", "--json"]);
    let tables: Vec<&Value> = infos.iter().filter(|item| item["kind"] == "table").collect();
    assert_eq!(tables.len() as u32, STONES);
    for (mine, theirs) in said(&own, &["info", "--json"])[1..].iter().zip(tables) {
        assert_eq!(mine["content_hash"], theirs["content_hash"]);
        assert_eq!((&theirs["encoding"], &theirs["known"]), (&"vu".into(), &"good".into()));
    }
}

#[test]
fn there_and_back_is_the_same() {
    let (own, vu) = (all().join("own/awari"), all().join("vu"));
    for (to, before) in [("packed", own), ("compressed", all().join("small/awari"))] {
        let back = TempDir::new().unwrap();
        awari(&vu, &["convert", "--to", to, text(back.path())]).exits(0);
        for stones in 1..=STONES {
            let name = format!("{stones:02}.awari");
            let [before, after] = [&before, &back.path().join("awari")].map(|dir| fs::read(dir.join(&name)));
            assert!(before.unwrap() == after.unwrap(), "{to}: {name}");
        }
    }
    let copied = TempDir::new().unwrap();
    awari(&vu, &["convert", "--to", "vu", text(copied.path())]).exits(0);
    assert_eq!(names(copied.path()), names(&vu));
    for name in names(&vu) {
        assert!(fs::read(vu.join(&name)).unwrap() == fs::read(copied.path().join(&name)).unwrap());
    }
}

#[test]
fn any_value_is_read_from_its_place() {
    let own = Tablebase::open(all().join("own"), Rules::Awari).unwrap();
    let vu = all().join("vu");
    for stones in 1..=STONES {
        let values = own.unpack(stones).unwrap();
        let table = VuTable::open(vu::path(&vu, stones), stones).unwrap();
        for (place, &value) in values.iter().enumerate() {
            assert_eq!(table.value(&table.index().board(place as u64)).unwrap(), Some(value));
        }
        // Any part, in the order of tables.
        let mut random = 1u64;
        for _ in 0..200 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let start = (random >> 20) as usize % values.len();
            let length = (random >> 8) as usize % (values.len() - start).min(500);
            let mut part = vec![0; length];
            table.read(start as u64, &mut part).unwrap();
            assert_eq!(part, values[start..start + length]);
        }
        assert_eq!(table.content_hash().unwrap(), own.table(stones).unwrap().header().content_hash);
        assert_eq!(*table.counts().unwrap(), own.table(stones).unwrap().header().counts);
    }
}

#[test]
fn what_is_no_table_is_refused() {
    let dir = copy();
    let path = dir.path().join("scores.6");
    let good = fs::read(&path).unwrap();
    for (bytes, words) in [
        (good[..12_000].to_vec(), ["corrupt", "cut short", "12000 bytes", "expected 12375"]),
        ([&good[..], &[0]].concat(), ["corrupt", "too long", "12376 bytes", "expected 12375"]),
        (Vec::new(), ["corrupt", "cut short", "0 bytes", "expected 12375"]),
        ([&good[..7_000], &[9], &good[7_001..]].concat(), ["corrupt", "byte 7000 is 9", "-6 to 6", "Copy"]),
    ] {
        fs::write(&path, bytes).unwrap();
        let dest = TempDir::new().unwrap();
        for arguments in [
            &["stats", "--stones", "6"][..],
            &["verify", "--stones", "6"],
            &["verify", "--stones", "9"],
            &["convert", "--to", "packed", "--stones", "6", text(dest.path())],
            &["convert", "--to", "vu", "--stones", "6", text(dest.path())],
        ] {
            awari(dir.path(), arguments).exits(1).says(&["scores.6"]).says(&words);
        }
        assert!(!dest.path().join("scores.6").exists() && !dest.path().join("awari/06.awari").exists());
        awari(dir.path(), &["info"]).exits(1).prints(&["unusable", "scores.6"]).prints(&words);
    }
    // The one byte that is no value is refused where it is probed, and no other.
    let table = VuTable::open(&path, 6).unwrap();
    let board = table.board(7_000).to_string();
    awari(dir.path(), &["probe", &board]).exits(1).says(&["scores.6", "byte 7000 is 9"]);
    assert_eq!(table.value(&table.board(6_999)).unwrap(), Some(good[6_999] as i8));
    // A value that is possible and wrong is found by its moves.
    fs::write(&path, [&good[..7_000], &[(good[7_000] as i8 ^ 1) as u8], &good[7_001..]].concat()).unwrap();
    awari(dir.path(), &["verify", "--stones", "6"]).exits(1).says(&["wrong value of board"]);
    awari(dir.path(), &["info"]).exits(1).prints(&["differs", "DIFFERS  awari, 6 stones"]);
    fs::remove_file(&path).unwrap();
    awari(dir.path(), &["probe", &board]).exits(1).says(&["no table of 6 stones"]);
    awari(dir.path(), &["info"]).exits(0).prints(&["missing  awari, 6 stones"]);
    fs::create_dir(&path).unwrap();
    awari(dir.path(), &["probe", &board]).exits(1).says(&["scores.6", "directory"]);
}

#[test]
fn they_are_of_one_rule_set() {
    let vu = all().join("vu");
    for command in [&["probe", POSITION][..], &["stats"], &["verify"], &["line", POSITION], &["play"]] {
        let arguments = [command, &["--rules", "abapa"]].concat();
        awari(&vu, &arguments).exits(1).says(&["scores.1: a table of rules awari, expected rules abapa"]);
    }
    let to = TempDir::new().unwrap();
    awari(&vu, &["convert", "--to", "packed", "--rules", "slam-ends", text(to.path())])
        .exits(1)
        .says(&["rules awari, expected rules slam-ends"]);
    // A build has nothing to do with them.
    let dir = copy();
    awari(dir.path(), &["build", "--stones", "3", "--rules", "abapa"]).exits(0);
    awari(dir.path(), &["verify", "--rules", "abapa"]).exits(0);
    awari(dir.path(), &["verify"]).exits(0);
}

#[test]
fn our_own_tables_win() {
    let dir = copy();
    awari(dir.path(), &["build", "--stones", "5"]).exits(0).says(&["To build:"]);
    // As none would read it.
    fs::write(dir.path().join("scores.4"), "no table").unwrap();
    awari(dir.path(), &["verify"]).exits(0);
    let run = awari(dir.path(), &["info"]).exits(0);
    run.prints(&["packed", "vu", "ignored", "scores.4: our own table of so many stones is used"]);
    let items = awari(dir.path(), &["info", "--json"]).exits(0).json();
    let encoding = |item: &Value| item["encoding"].as_str().map(str::to_owned);
    let encodings: Vec<String> = items.iter().filter_map(encoding).collect();
    assert_eq!(encodings, [["packed"; 6].as_slice(), &["vu"; 4]].concat());
    assert_eq!(items.iter().filter(|item| item["kind"] == "ignored").count(), 5);
}

#[test]
fn they_are_proved_with_depths_of_the_same_values() {
    let dir = copy();
    let prove = ["verify", "--prove", "--stones", "7"];
    awari(dir.path(), &prove).exits(1).says(&["no depths of 7 stones", "--depth"]);
    let depths = dir.path().join("awari/07.depth");
    fs::create_dir(dir.path().join("awari")).unwrap();
    fs::copy(all().join("own/awari/07.depth"), &depths).unwrap();
    awari(dir.path(), &prove).exits(0).prints(&["proved", "known good"]);
    awari(dir.path(), &["info"]).exits(0).prints(&["relative"]);
    fs::remove_file(&depths).unwrap();
    let path = dir.path().join("scores.7");
    let mut bytes = fs::read(&path).unwrap();
    bytes[30_000] = 0;
    bytes[30_001] = 7;
    fs::write(&path, bytes).unwrap();
    fs::copy(all().join("own/awari/07.depth"), &depths).unwrap();
    awari(dir.path(), &prove).exits(1).says(&["07.depth", "stale depths"]);
}
