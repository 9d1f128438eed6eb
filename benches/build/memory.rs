//! How much memory a piece of work needed at most: `VmHWM` of `/proc/self/status`, set back before.

/// Does some work. Says how many bytes of memory were in use at most, beyond those before, if the
/// system tells.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    let before = std::fs::write("/proc/self/clear_refs", "5").ok().and_then(|()| status("VmRSS:"));
    let result = work();
    let peak = before.and_then(|before| Some(status("VmHWM:")?.saturating_sub(before)));
    (result, peak)
}

fn status(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
