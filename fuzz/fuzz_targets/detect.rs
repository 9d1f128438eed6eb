#![no_main]
//! A text read without naming its notation is read as by the parser of the notation found.

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match awari::notation::parse(text) {
        Ok(position) => assert_eq!(position.notation.parse(text), Ok(position)),
        Err(error) => drop(error.to_string()),
    }
});
