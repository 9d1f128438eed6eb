//! A process that outlives this program by a moment, to end what it started.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Waits for the end of its input, which comes when this program is gone, whatever ended it; then
/// kills a group.
const SCRIPT: &str = "read -r nothing; kill -s KILL -- \"-$0\"";

/// Sees to it that a group of processes ends with this program, even if that is killed.
pub struct Guard(Child);

impl Guard {
    /// Guards the group of processes of this number.
    ///
    /// # Errors
    /// If no process can be started.
    pub fn over(group: u32) -> io::Result<Guard> {
        let child = Command::new("sh")
            .args(["-c", SCRIPT, &group.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // ^C is not for it.
            .process_group(0)
            .spawn()?;
        Ok(Guard(child))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Before its input ends: the number may be another group's by then.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
