//! ^C: the first asks to stop where nothing is lost, the second stops at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::{Failure, INTERRUPTED};

/// Whether ^C was pressed.
#[derive(Clone)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on; once a program.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen() -> Result<Interrupt, Failure> {
        let pressed = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&pressed);
        ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED.into());
            }
        })
        .map_err(|error| Failure::new(format_args!("cannot listen for ^C: {error}")))?;
        Ok(Interrupt(pressed))
    }

    /// What becomes true when ^C is pressed.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Whether to stop.
    pub fn pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
