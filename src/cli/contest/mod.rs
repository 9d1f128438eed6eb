//! What `test-engine` and `match` share: engines as child processes, how long they may think, and how
//! sure a result is.

pub mod client;
pub mod interval;
pub mod limit;

use std::sync::{Mutex, MutexGuard, PoisonError};

use client::Setting;

/// A parser of `NAME=VALUE`.
pub fn setting(text: &str) -> Result<Setting, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !text.contains(['\n', '\r']) => {
            Ok(Setting { name: name.trim().to_owned(), value: value.trim().to_owned() })
        }
        _ => Err("expected NAME=VALUE, such as Hash=64".to_owned()),
    }
}

/// What a lock guards: no thread panics while it holds one.
pub fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
