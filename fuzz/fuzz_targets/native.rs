#![no_main]
//! Whatever this parser accepts is written and reads back the same.

use awari::notation::Notation;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Notation::Native.parse(text) {
        Ok(position) => {
            let written = Notation::Native.write(&position).expect("what was read can be written");
            assert_eq!(Notation::Native.parse(&written), Ok(position));
        }
        Err(error) => drop(error.to_string()),
    }
});
