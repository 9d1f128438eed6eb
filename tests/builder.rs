//! The builder as a library: plans, progress, cancelling.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use awari::builder::{BuildError, Builder, Built, Plan, Progress, State, Unwatched};
use awari::engine::{Needs, Pass};
use awari::{Board, Rules, Tablebase};

fn table_names(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_plan_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let builder = Builder::new(dir.path(), Rules::Abapa).stones(48);
    let plan = builder.plan(&Unwatched).unwrap();
    assert_eq!(plan.tables.len(), 48, "0 to 48 without 47");
    assert!(plan.tables.iter().all(|table| table.is_missing()));
    // Romein & Bal 2002 count the start too, which no move leads to.
    assert_eq!(plan.positions() + 1, 889_063_398_406);
    let needs = plan.needs(&plan.tables[47]);
    assert!(needs.table > 2 * 203_648_015_935 && needs.working < needs.table / 8);
    assert!(table_names(dir.path()).is_empty());
}

#[test]
fn a_plan_knows_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let builder = Builder::new(dir.path(), Rules::SlamEnds).stones(4).threads(2);
    let built = builder.run(&Unwatched).unwrap();
    assert!(built.iter().all(|table| table.work.is_some()));
    let path = dir.path().join("slam-ends/02.awari");
    std::fs::write(&path, "no table").unwrap();
    std::fs::remove_file(dir.path().join("slam-ends/03.awari")).unwrap();
    let plan = builder.plan(&Unwatched).unwrap();
    let [zero, one, two, three, four] = &plan.tables[..] else { panic!("{plan:?}") };
    for there in [zero, one, four] {
        assert!(matches!(&there.state, State::There(header) if header.stones == there.stones));
    }
    assert!(matches!(two.state, State::Unusable(_)) && matches!(three.state, State::Missing));
    assert!(matches!(builder.run(&Unwatched), Err(BuildError::Unusable(error)) if error.path() == path));
    std::fs::remove_file(path).unwrap();
    let again = builder.run(&Unwatched).unwrap();
    let worked: Vec<bool> = again.iter().map(|table| table.work.is_some()).collect();
    assert_eq!(worked, [false, false, true, true, false]);
}

/// Stops after some tables, and writes down what it is told.
struct Stopper {
    after: u32,
    tables: AtomicU32,
    told: Mutex<Vec<String>>,
}

impl Stopper {
    fn note(&self, what: String) {
        let mut told = self.told.lock().unwrap();
        if told.last() != Some(&what) {
            told.push(what);
        }
    }
}

impl Progress for Stopper {
    fn planned(&self, plan: &Plan) {
        self.note(format!("planned {}", plan.missing().count()));
    }

    fn solving(&self, stones: u32, _: Pass, done: u64, total: u64) {
        assert!(done <= total);
        self.note(format!("solving {stones}"));
    }

    fn writing(&self, stones: u32) {
        self.note(format!("writing {stones}"));
    }

    fn built(&self, table: &Built) {
        self.tables.fetch_add(1, Ordering::Relaxed);
        self.note(format!("built {}", table.header.stones));
    }

    fn stop(&self) -> bool {
        self.tables.load(Ordering::Relaxed) >= self.after
    }
}

#[test]
fn a_cancelled_build_leaves_whole_tables_that_can_be_probed() {
    let dir = tempfile::tempdir().unwrap();
    let stopper = Stopper { after: 6, tables: AtomicU32::new(0), told: Mutex::default() };
    let result = Builder::new(dir.path(), Rules::Awari).stones(20).threads(1).run(&stopper);
    assert!(matches!(result, Err(BuildError::Stopped)), "{result:?}");
    let expected: Vec<String> = (0..6).map(|stones| format!("{stones:02}.awari")).collect();
    assert_eq!(table_names(&dir.path().join("awari")), expected);
    let told = stopper.told.into_inner().unwrap();
    assert_eq!(told[0], "planned 21");
    let told_of_5: Vec<&String> = told.iter().filter(|told| told.ends_with(" 5")).collect();
    assert_eq!(told_of_5, ["solving 5", "writing 5", "built 5"]);

    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    let board = Board::new([0, 0, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0]).unwrap();
    assert_eq!(tables.probe(&board).unwrap().value, 5);
}

#[test]
fn there_is_no_table_of_47_or_49_stones() {
    let dir = tempfile::tempdir().unwrap();
    for stones in [47, 49, u32::MAX] {
        let builder = Builder::new(dir.path(), Rules::Awari).stones(stones);
        let refused =
            |error: &BuildError| matches!(error, BuildError::NoSuchTable { stones: s } if *s == stones);
        assert!(refused(&builder.plan(&Unwatched).unwrap_err()));
        assert!(refused(&builder.run(&Unwatched).unwrap_err()));
    }
}

#[test]
fn a_build_in_scratch_files_gives_the_same_tables() {
    const STONES: u32 = 12;
    let build = |memory| {
        let dir = tempfile::tempdir().unwrap();
        let builder = Builder::new(dir.path(), Rules::Awari).stones(STONES).depths(true).memory(memory);
        let plan = builder.plan(&Unwatched).unwrap();
        let scratch = plan.missing().map(|table| plan.scratch_for(table)).max();
        builder.run(&Unwatched).unwrap();
        let files = table_names(&dir.path().join("awari")).into_iter().map(|name| {
            let bytes = std::fs::read(dir.path().join("awari").join(&name)).unwrap();
            (name, bytes)
        });
        (scratch, files.collect::<Vec<_>>())
    };
    let (scratch, in_files) = build(Some(Needs::of_depths(STONES).in_scratch()));
    assert_eq!(scratch, Some(Needs::of_depths(STONES).table));
    let (none, in_memory) = build(None);
    assert_eq!(none, Some(0));
    assert!(in_files == in_memory && in_files.len() == 2 * (STONES as usize + 1));
}
