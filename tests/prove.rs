//! The proof finds right tables right, and wrong ones wrong that a look one ply ahead lets pass.

mod common;

use std::fs;
use std::sync::Mutex;

use awari::index::Index;
use awari::table::{self, TableError};
use awari::tablebase::{ProbeError, Tablebase};
use awari::verify::{
    Certificate, Proof, Step, VerifyError, WrongDepth, certificate_path, proof, prove, verify,
};
use awari::{Board, Rules, rules};
use common::{believed, build_depths, build_with_depths};

fn check(tables: &Tablebase, stones: u32) -> Result<Certificate, VerifyError> {
    prove(tables, stones, &|_, _, _| {}, &|| false)
}

fn values(tables: &Tablebase, stones: u32) -> Vec<i8> {
    let mut values = vec![0; Index::new(stones).positions() as usize];
    tables.table(stones).unwrap().read(0, &mut values).unwrap();
    values
}

fn depths(tables: &Tablebase, stones: u32) -> Vec<u16> {
    let mut depths = vec![0; Index::new(stones).positions() as usize];
    tables.needed_depths(stones).unwrap().read(0, &mut depths).unwrap();
    depths
}

/// The same tables with other values and depths of `stones` stones.
fn with(tables: &Tablebase, stones: u32, values: &[i8], depths: &[u16]) -> Tablebase {
    let header = table::write(tables.path(stones), tables.rules(), stones, values).unwrap();
    let hash = header.content_hash;
    table::write_depths(tables.depth_path(stones), tables.rules(), stones, hash, depths).unwrap();
    Tablebase::open(tables.directory(), tables.rules()).unwrap()
}

#[test]
fn solved_tables_are_proved_and_certified() {
    for rules in Rules::ALL {
        let dir = tempfile::tempdir().unwrap();
        let tables = build_with_depths(dir.path(), rules, 9);
        for stones in 0..=9 {
            let certificate = check(&tables, stones).unwrap();
            let (values, depths) = (tables.table(stones).unwrap(), tables.needed_depths(stones).unwrap());
            assert_eq!(certificate.positions, Index::new(stones).positions());
            assert_eq!(certificate.values, values.header().content_hash);
            assert_eq!(certificate.depths, depths.header().content_hash);
            assert_eq!(certificate.max_depth, depths.header().max);
            assert_eq!(certificate.wins + certificate.draws + certificate.losses, certificate.positions);
            let relied_on: Vec<u32> = certificate.relied_on.iter().map(|table| table.stones).collect();
            assert_eq!(relied_on, (0..(stones + 1).saturating_sub(2)).collect::<Vec<_>>());

            let path = certificate_path(dir.path(), rules, stones);
            assert_eq!(proof(&tables, stones).unwrap(), Proof::None);
            certificate.write(&path).unwrap();
            assert_eq!(Certificate::read(&path).unwrap(), Some(certificate));
            assert_eq!(proof(&tables, stones).unwrap(), Proof::Complete);
        }
    }
}

#[test]
fn a_certificate_is_about_the_tables_that_were_there() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build_with_depths(dir.path(), Rules::Awari, 5);
    let path = |stones| certificate_path(dir.path(), Rules::Awari, stones);
    assert_eq!(path(5), dir.path().join("awari/05.proof.json"));
    for stones in [0, 1, 3, 5] {
        check(&tables, stones).unwrap().write(path(stones)).unwrap();
    }
    assert_eq!(proof(&tables, 3).unwrap(), Proof::Complete);
    assert_eq!(proof(&tables, 5).unwrap(), Proof::Relative(vec![2]));

    let text = fs::read_to_string(path(5)).unwrap();
    assert!(text.contains("\"rules\": \"awari\"") && text.ends_with("}\n"), "{text}");
    assert!(text.contains(&format!("\"program\": \"awari {}\"", env!("CARGO_PKG_VERSION"))), "{text}");
    assert!(text.contains(&tables.table(3).unwrap().header().content_hash.to_string()), "{text}");

    // Of another table, of other values, of other depths, of other smaller tables.
    fs::copy(path(5), path(4)).unwrap();
    assert_eq!(proof(&tables, 4).unwrap(), Proof::Stale);
    let digit = text.find("\"relied_on\"").unwrap() - 20;
    let other = if text.as_bytes()[digit] == b'0' { "1" } else { "0" };
    fs::write(path(5), [&text[..digit], other, &text[digit + 1..]].concat()).unwrap();
    assert_eq!(proof(&tables, 5).unwrap(), Proof::Stale);
    fs::write(path(5), &text).unwrap();
    let other = with(&tables, 3, &[0; 364], &[0; 364]);
    assert_eq!(proof(&other, 5).unwrap(), Proof::Stale);
    assert_eq!(proof(&other, 3).unwrap(), Proof::Stale);

    fs::write(path(5), &text[..100]).unwrap();
    let error = proof(&other, 5).unwrap_err().to_string();
    assert!(error.contains("05.proof.json: not a certificate"), "{error}");
}

#[test]
fn the_first_wrong_depth_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build_with_depths(dir.path(), Rules::Awari, 7);
    let (values, right) = (values(&tables, 7), depths(&tables, 7));
    for place in [0, 1, 7_000, 20_000, right.len() - 1] {
        for off in [1, 256] {
            let mut wrong = right.clone();
            wrong[place] += off;
            let tables = with(&tables, 7, &values, &wrong);
            let Err(VerifyError::WrongDepth(found)) = check(&tables, 7) else { panic!("place {place}") };
            // The board itself, or one before it that leads to it.
            assert!(found.place <= place as u64);
            assert_eq!(found.board, Index::new(7).board(found.place));
            assert_eq!(found.stored, wrong[found.place as usize]);
            let said = VerifyError::WrongDepth(found).to_string();
            assert!(said.contains(&format!("wrong depth of board {} (place", found.board)), "{said}");
            for _again in 0..3 {
                assert!(matches!(check(&tables, 7), Err(VerifyError::WrongDepth(same)) if same == found));
            }
        }
    }
    let mut wrong = values.clone();
    wrong[20_000] = if values[20_000] == 7 { 6 } else { values[20_000] + 1 };
    let error = check(&with(&tables, 7, &wrong, &right), 7).unwrap_err();
    assert!(matches!(error, VerifyError::Wrong(found) if found.place <= 20_000), "{error}");
}

#[test]
fn what_is_missing_or_damaged_is_said_so() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build_with_depths(dir.path(), Rules::Awari, 6);
    fs::remove_file(tables.depth_path(5)).unwrap();
    fs::remove_file(tables.path(2)).unwrap();
    let mut bytes = fs::read(tables.depth_path(6)).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(tables.depth_path(6), bytes).unwrap();
    let tables = Tablebase::open(dir.path(), Rules::Awari).unwrap();
    let error = check(&tables, 5).unwrap_err();
    assert!(matches!(error, VerifyError::Table(ProbeError::MissingDepths { stones: 5, .. })), "{error}");
    assert!(error.to_string().contains("awari build --stones 5 --rules awari"), "{error}");
    let error = check(&tables, 4).unwrap_err();
    assert!(matches!(error, VerifyError::Table(ProbeError::Missing { stones: 2, .. })), "{error}");
    fs::remove_file(tables.path(2).with_extension("depth")).unwrap();
    common::build(dir.path(), Rules::Awari, 2);
    let error = check(&tables, 6).unwrap_err();
    let damaged = |error: &VerifyError| match error {
        VerifyError::Table(ProbeError::Table(error)) => matches!(error, TableError::CorruptBlock { .. }),
        _ => false,
    };
    assert!(damaged(&error), "{error}");
}

#[test]
fn it_reports_progress_and_stops_when_told() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build_with_depths(dir.path(), Rules::Awari, 6);
    let seen = Mutex::new(Vec::new());
    prove(&tables, 6, &|step, done, total| seen.lock().unwrap().push((step, done, total)), &|| false)
        .unwrap();
    let seen = seen.into_inner().unwrap();
    let total = Index::new(6).positions();
    assert_eq!(seen[..2], [(Step::File, 0, total), (Step::File, total, total)]);
    assert_eq!(seen[2..].iter().map(|&(_, done, _)| done).max(), Some(total));
    assert!(matches!(prove(&tables, 6, &|_, _, _| {}, &|| true), Err(VerifyError::Stopped)));
}

/// What a position's moves say of it, by tables of values and depths that may be wrong.
struct Made<'a> {
    tables: &'a Tablebase,
    index: Index,
    values: Vec<i8>,
    depths: Vec<u32>,
}

/// More than any depth.
const INFINITE: u32 = u32::MAX;

impl Made<'_> {
    fn outcomes(&self, board: &Board) -> Vec<(i8, Option<usize>)> {
        let turn = rules::turn(board, self.tables.rules());
        let outcome = |play: rules::Move| match self.index.place(&play.child) {
            Some(child) => (-self.values[child as usize], Some(child as usize)),
            None => (play.captured as i8 - self.tables.value(&play.child).unwrap(), None),
        };
        turn.moves().map(outcome).collect()
    }

    fn depth(&self, place: usize, board: &Board) -> u32 {
        let value = self.values[place];
        let keeping = self.outcomes(board).into_iter().filter(|&(worth, _)| worth == value);
        let depths = keeping.map(|(_, child)| child.map_or(1, |child| self.depths[child].saturating_add(1)));
        let depth = if value > 0 { depths.min() } else { depths.max() };
        if value == 0 { 0 } else { depth.unwrap_or_default() }
    }

    fn boards(&self) -> impl Iterator<Item = (usize, Board)> + use<> {
        let index = self.index.clone();
        (0..index.positions()).map(move |place| (place as usize, index.board(place)))
    }

    /// Goes over all positions until their depths stay as they are.
    fn settle_depths(&mut self, rounds: u32) -> bool {
        for _ in 0..rounds {
            let mut changed = false;
            for (place, board) in self.boards() {
                let depth = self.depth(place, &board);
                changed |= std::mem::replace(&mut self.depths[place], depth) != depth;
            }
            if !changed {
                return true;
            }
        }
        false
    }
}

/// A circle of boards whose players promise each other stones that nobody ever takes: one ply
/// ahead all is well. But their depths would have to fall for ever.
#[test]
fn a_wrong_table_that_agrees_with_itself_has_no_depths() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build_with_depths(dir.path(), Rules::Awari, 4);
    let mut fooled = 0;
    for stones in 1..=4 {
        let (right, right_depths) = (values(&tables, stones), depths(&tables, stones));
        let Some(wrong) = believed(&tables, stones) else { continue };
        let made =
            |depths| Made { tables: &tables, index: Index::new(stones), values: wrong.clone(), depths };
        fooled += 1;
        let refused = |depths: &[u16]| {
            let tables = with(&tables, stones, &wrong, depths);
            verify(&tables, stones, &|_, _, _| {}, &|| false).unwrap();
            let error = check(&tables, stones).unwrap_err();
            let VerifyError::WrongDepth(WrongDepth { board, .. }) = error else { panic!("{error}") };
            board
        };

        // The right depths, none, and any that could be made up.
        refused(&right_depths);
        refused(&vec![0; right.len()]);
        refused(&vec![u16::MAX; right.len()]);

        // Solving for depths from above leaves the wrong positions without one …
        let mut from_above = made(vec![INFINITE; right.len()]);
        assert!(from_above.settle_depths(2_000));
        let without: Vec<usize> =
            (0..right.len()).filter(|&place| from_above.depths[place] == INFINITE).collect();
        assert!(without.iter().any(|&place| wrong[place] != right[place]));
        for least in [0, 1, 254, 60_000] {
            let depths: Vec<u16> =
                from_above.depths.iter().map(|&depth| u16::try_from(depth).unwrap_or(least)).collect();
            let board = refused(&depths);
            let place = Index::new(stones).place(&board).unwrap() as usize;
            assert_ne!(wrong[place], 0);
        }
        // … and from below they grow without end.
        let mut from_below = made(vec![0; right.len()]);
        assert!(!from_below.settle_depths(3_000));
        let grown: Vec<u16> = from_below.depths.iter().map(|&depth| depth.min(65_535) as u16).collect();
        refused(&grown);

        with(&tables, stones, &right, &right_depths);
        build_depths(&tables, stones);
    }
    println!("{fooled} of 4 wrong tables agree with themselves");
    assert!(fooled > 0);
}
