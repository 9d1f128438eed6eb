//! Every position survives every notation, and no text makes a parser panic.

use awari::Board;
use awari::notation::{self, Notation, Position, Stores, auale};
use proptest::prelude::*;

/// Positions of a real game: 48 stones, some of them captured, bunched in a few pits or spread.
fn positions() -> impl Strategy<Value = Position> {
    let bins = prop::collection::vec(0usize..14, 1..=14);
    let stones = prop::collection::vec(any::<prop::sample::Index>(), 48);
    (bins, stones, any::<bool>()).prop_map(|(bins, stones, south_to_move)| {
        let mut held = [0u8; 14];
        for stone in stones {
            held[bins[stone.index(bins.len())]] += 1;
        }
        let pits = held[..12].try_into().unwrap();
        Position {
            board: Board::new(pits).unwrap(),
            stores: Some(Stores { mover: held[12], waiting: held[13] }),
            south_to_move,
            notation: Notation::Native,
        }
    })
}

/// Texts that look like positions without being any.
fn nearly_positions() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9SN/,_ ]{0,60}",
        "[-0-9SN ]{0,60}",
        "[0-9| ]{0,60}",
        "[-+|a-fA-F0-9 \n]{0,120}",
        "([0-9]{1,3}[ ,/|\n-]{1,2}){10,16}[SN]?",
        "([0-9]{1,30}S?,){4,7}[0-9]S/([0-9]{1,2}S?,){4,7}[0-9]S [0-9]{1,2} [0-9]{1,2} [SNsn] [0-9]*",
        "([ |]*[0-9]{1,2}){6}( opponent| captured [0-9]+)?\n([ |]*[0-9]{1,2}){6}( captured [0-9]+)?",
    ]
}

/// A position cut or spoilt at one place.
fn spoilt_positions() -> impl Strategy<Value = String> {
    let notation = prop::sample::select(Notation::ALL.to_vec());
    (positions(), notation, any::<prop::sample::Index>(), 0usize..4, any::<char>()).prop_map(
        |(position, notation, at, removed, inserted)| {
            let mut text: Vec<char> = notation.write(&position).unwrap().chars().collect();
            let at = at.index(text.len());
            let end = (at + removed).min(text.len());
            text.splice(at..end, (removed != 1).then_some(inserted));
            text.into_iter().collect()
        },
    )
}

/// Reads a text in every way; whatever is accepted is a position and reads back.
fn read_every_way(text: &str) {
    for notation in Notation::ALL {
        match notation.parse(text) {
            Ok(position) => {
                assert!(position.board.stones() <= 48);
                assert_eq!(position.notation, notation);
                let written = notation.write(&position).unwrap();
                assert_eq!(notation.parse(&written), Ok(position), "{written}");
            }
            Err(error) => {
                // One sentence on one line, however odd the text.
                let message = error.to_string();
                assert!(!message.contains('\n') && message.len() < 400, "{message}");
                assert!(message.contains(": expected "), "{message}");
            }
        }
    }
    match notation::parse(text) {
        Ok(position) => assert_eq!(position.notation.parse(text), Ok(position)),
        Err(error) => assert!(error.notation.is_none_or(|notation| notation.parse(text) == Err(error))),
    }
    if let Ok(game) = auale::moves(text) {
        assert_eq!(auale::moves(&auale::write_moves(&game)), Ok(game));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn positions_read_back(position in positions()) {
        for notation in Notation::ALL {
            let text = notation.write(&position).unwrap();
            // What a notation does not say: native has no stores, native and drawings no sides.
            let expected = Position {
                notation,
                stores: position.stores.filter(|_| notation != Notation::Native),
                south_to_move: position.south_to_move
                    || matches!(notation, Notation::Native | Notation::Drawing),
                ..position
            };
            prop_assert_eq!(text.parse(), Ok(expected), "{}", text);
            prop_assert_eq!(notation.parse(&format!("\n {text}\r\n")), Ok(expected));
        }
    }

    #[test]
    fn boards_alone_read_back(position in positions()) {
        let position = Position { stores: None, south_to_move: true, ..position };
        for notation in [Notation::Native, Notation::Drawing] {
            let text = notation.write(&position).unwrap();
            prop_assert_eq!(text.parse(), Ok(Position { notation, ..position }));
        }
    }

    #[test]
    fn games_read_back(first in any::<bool>(), pits in prop::collection::vec(0usize..6, 0..200)) {
        let play = |(i, pit)| auale::Play { south: (i % 2 == 0) == first, pit };
        let game: Vec<auale::Play> = pits.into_iter().enumerate().map(play).collect();
        prop_assert_eq!(auale::moves(&auale::write_moves(&game)), Ok(game));
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".*|[\\PC\0\n]*") {
        read_every_way(&text);
    }

    #[test]
    fn nearly_right_texts_are_read_or_refused(text in nearly_positions()) {
        read_every_way(&text);
    }

    #[test]
    fn spoilt_positions_are_read_or_refused(text in spoilt_positions()) {
        read_every_way(&text);
    }
}

#[test]
fn very_long_texts_are_refused() {
    for piece in ["4 ", "4-", "9", "4S,", "|", "/", "\n", "\0", "é", "-", " 0 |", "a ", "A\n", "𝟜 ", "+--"]
    {
        read_every_way(&piece.repeat(200_000));
    }
}
