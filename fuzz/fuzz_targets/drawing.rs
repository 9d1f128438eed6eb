#![no_main]
//! Whatever this parser accepts is written and reads back the same.

use awari::notation::Notation;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Notation::Drawing.parse(text) {
        Ok(position) => {
            let written = Notation::Drawing.write(&position).expect("what was read can be written");
            assert_eq!(Notation::Drawing.parse(&written), Ok(position));
        }
        Err(error) => drop(error.to_string()),
    }
});
