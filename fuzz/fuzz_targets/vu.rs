#![no_main]
//! Any bytes as a file of the Vrije Universiteit: an error, or what is there.

#[path = "../../tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&stones, bytes)) = bytes.split_first() else { return };
    let _ = hostile::vu(bytes, u32::from(stones % 5), &std::env::temp_dir());
});
