//! Progress bars, where someone looks at them.

use std::sync::Mutex;
use std::time::Duration;

use awari::units;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// A bar on stderr for work that goes in passes over positions. Silent unless stderr is a
/// terminal. Several threads may move it.
pub struct Bar {
    bar: ProgressBar,
    pass: Mutex<String>,
}

impl Bar {
    /// A bar that starts with `what` is worked on.
    pub fn new(what: &str) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(
            "{prefix}  {msg:12} [{wide_bar}] {percent:>3}%  {speed}, pass ends in {eta}",
        );
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> ").with_key("speed", speed));
        }
        bar.set_prefix(what.to_owned());
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Bar { bar, pass: Mutex::default() }
    }

    /// `done` of `total` positions of `pass` are through.
    pub fn update(&self, pass: &dyn std::fmt::Display, done: u64, total: u64) {
        if self.bar.is_hidden() {
            return;
        }
        // A lock nobody waits for: whoever finds it taken leaves the news to the next call.
        if let Ok(mut shown) = self.pass.try_lock() {
            let name = pass.to_string();
            if *shown != name {
                self.bar.set_length(total);
                self.bar.set_position(0);
                self.bar.reset_eta();
                self.bar.set_message(name.clone());
                *shown = name;
            }
            self.bar.set_position(done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn speed(state: &ProgressState, f: &mut dyn std::fmt::Write) {
    // Nothing to be done about a writer that fails: the bar is short of a number.
    let _ = write!(f, "{}", self::per_second(state.per_sec()));
}

/// A speed: `12.3 M positions/s`.
pub fn per_second(positions: f64) -> String {
    if positions >= 1e6 {
        format!("{:.1} M positions/s", positions / 1e6)
    } else {
        format!("{} positions/s", units::count(positions as u64))
    }
}
