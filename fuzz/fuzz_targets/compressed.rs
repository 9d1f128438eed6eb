#![no_main]
//! Whatever model and block are decoded, values of so many stones come out, or that they are none.

#[path = "../../tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [stones, at, bytes @ ..] = bytes else { return };
    let (model, block) = bytes.split_at(bytes.len() * usize::from(*at) / 256);
    hostile::compressed(u32::from(stones % 15), model, block);
});
