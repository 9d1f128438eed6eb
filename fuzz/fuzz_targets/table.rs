#![no_main]
//! Whatever bytes are opened as a table of values, nothing but an error or values comes of it; a right checksum of the header lets more through.

#[path = "../../tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let directory = std::env::temp_dir();
    let _ = hostile::values(bytes, &directory);
    let _ = hostile::values(&hostile::sealed(bytes.to_vec(), 868), &directory);
});
