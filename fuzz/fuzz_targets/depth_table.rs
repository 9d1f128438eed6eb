#![no_main]
//! The same for tables of depths, of few stones.

#[path = "../../tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&stones, bytes)) = bytes.split_first() else { return };
    let (stones, of) = (u32::from(stones % 10), awari::table::ContentHash([7; 32]));
    let directory = std::env::temp_dir();
    let _ = hostile::depths(bytes, stones, of, &directory);
    let _ = hostile::depths(&hostile::sealed(bytes.to_vec(), 144), stones, of, &directory);
});
