#![no_main]
//! Whatever is accepted as the moves of a game is written and reads back the same.

use awari::notation::auale;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match auale::moves(text) {
        Ok(game) => assert_eq!(auale::moves(&auale::write_moves(&game)), Ok(game)),
        Err(error) => drop(error.to_string()),
    }
});
