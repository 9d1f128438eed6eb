//! What `test-engine` and `match` share: engines as child processes, how long they may think, positions
//! to play from, and how sure a result is.

pub mod client;
mod guard;
pub mod interval;
pub mod limit;
pub mod suite;

use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard, PoisonError};

use awari::Rules;
use client::{Setting, Spec};

/// The engines to run.
#[derive(clap::Args)]
pub struct EngineOptions {
    /// The command that starts an engine; twice for two: the first is A, the second B
    #[arg(long = "engine", value_name = "COMMAND", required = true, num_args = 1)]
    pub commands: Vec<String>,
    /// Set an option of every engine, or of one: A:Hash=64
    #[arg(long = "engine-option", value_name = "[A:|B:]NAME=VALUE", value_parser = setting)]
    settings: Vec<(Option<usize>, Setting)>,
}

impl EngineOptions {
    /// The engines, to play by these rules.
    pub fn specs(&self, rules: Rules) -> Vec<Spec> {
        let spec = |(engine, command): (usize, &String)| Spec {
            command: command.clone(),
            settings: self
                .settings
                .iter()
                .filter(|(of, _)| of.is_none_or(|of| of == engine))
                .map(|(_, setting)| setting.clone())
                .collect(),
            rules,
            failures: AtomicU32::new(0),
        };
        self.commands.iter().enumerate().map(spec).collect()
    }
}

/// Reads `NAME=VALUE`, with `A:` or `B:` before it if it is for one engine.
fn setting(text: &str) -> Result<(Option<usize>, Setting), String> {
    let (engine, setting) = match (text.strip_prefix("A:"), text.strip_prefix("B:")) {
        (Some(setting), _) => (Some(0), setting),
        (_, Some(setting)) => (Some(1), setting),
        _ => (None, text),
    };
    match setting.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !setting.contains(['\n', '\r']) => {
            Ok((engine, Setting { name: name.trim().to_owned(), value: value.trim().to_owned() }))
        }
        _ => Err("expected NAME=VALUE, such as Hash=64 or A:Hash=64".to_owned()),
    }
}

/// What a lock guards: no thread panics while it holds one.
pub fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
