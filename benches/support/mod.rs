//! What the benches share: clocks, medians, memory, the machine's own limits, tables for reading.

pub mod clock;
pub mod grid;
pub mod huge;
pub mod limits;
pub mod solved;

/// Whether to run quickly and check only: without `cargo bench`, which passes `--bench`, or when
/// asked to.
pub fn is_test() -> bool {
    let given = |flag| std::env::args().any(|argument| argument == flag);
    given("--test") || !given("--bench")
}
