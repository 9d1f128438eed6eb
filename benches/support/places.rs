//! Places to look at.

/// Places of a table, independent of one another.
pub fn random_places(positions: u64, many: u64) -> Vec<u64> {
    let mut state = 1u64;
    let mut place = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(state) * u128::from(positions)) >> 64) as u64
    };
    (0..many).map(|_| place()).collect()
}
