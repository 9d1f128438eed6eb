//! Measuring or checking.

/// Whether to run quickly and check only: without `cargo bench`, which passes `--bench`, or when
/// asked to.
pub fn is_test() -> bool {
    let given = |flag| std::env::args().any(|argument| argument == flag);
    given("--test") || !given("--bench")
}
