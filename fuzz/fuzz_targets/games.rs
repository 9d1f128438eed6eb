#![no_main]
//! No text makes a reader of games panic, and whatever is accepted is written and reads back the
//! same moves.

use awari::Rules;
use awari::game::{Format, ogn};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    Format::detect(text);
    for format in Format::ALL {
        for game in format.read(text, Rules::Awari) {
            match game {
                Ok(game) => {
                    let written = ogn::write(&game);
                    let read = ogn::read(&written, Rules::Awari).next();
                    let read = read.and_then(Result::ok).expect("what was written reads back");
                    assert_eq!(read.moves(), game.moves());
                }
                Err(error) => drop(error.to_string()),
            }
        }
    }
});
