//! What this machine has to give: memory and disk space.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of memory a program can still take without pushing anything else out, as far as the
/// system says: the least of what is free on the machine, what each control group around this
/// process allows, and what its limit of address space (`ulimit -v`) leaves. None where the system
/// does not say.
pub fn available_memory() -> Option<u64> {
    let read = |path| fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| kibibytes(&text, "MemAvailable:"));
    let groups = read("/proc/self/cgroup").and_then(|text| {
        group_dirs(&text, Path::new("/sys/fs/cgroup")).iter().filter_map(|dir| left_in_group(dir)).min()
    });
    let limit = read("/proc/self/limits").and_then(|text| address_space(&text));
    let used = read("/proc/self/status").and_then(|text| kibibytes(&text, "VmSize:"));
    let limit = limit.map(|limit| limit.saturating_sub(used.unwrap_or(0)));
    [machine, groups, limit].into_iter().flatten().min()
}

/// Bytes free for an ordinary user on the file system that holds `path`, or will hold it once
/// its missing directories are made.
///
/// # Errors
/// If the system cannot tell.
pub fn free_disk(path: &Path) -> io::Result<u64> {
    let path = std::path::absolute(path)?;
    let there = path.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("/"));
    let status = rustix::fs::statvfs(there)?;
    Ok(status.f_bavail.saturating_mul(status.f_frsize))
}

/// A line of `/proc/meminfo` or `/proc/self/status`, in bytes.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// The limit of address space in `/proc/self/limits`; None if there is none.
fn address_space(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The directories of the control groups that limit this process, innermost first, from the text
/// of `/proc/self/cgroup`. In a container the path may be one seen from outside: the root of the
/// mount is then the container's own group, and it is always among them.
fn group_dirs(text: &str, mount: &Path) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    for line in text.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let root = match controllers {
            "" => mount.to_owned(),
            list if list.split(',').any(|name| name == "memory") => mount.join("memory"),
            _ => continue,
        };
        for ancestor in Path::new(path.trim_start_matches('/')).ancestors() {
            dirs.push(root.join(ancestor));
        }
    }
    dirs
}

/// What a control group still allows: its limit less what it uses, not counting the cached files
/// it would give back.
fn left_in_group(dir: &Path) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(dir.join(name)).ok();
    let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
    // Version 2 has `memory.max`, "max" where there is no limit; version 1 a huge number there.
    let (limit, used) = match number("memory.max") {
        Some(limit) => (limit, number("memory.current")?),
        None => (number("memory.limit_in_bytes")?, number("memory.usage_in_bytes")?),
    };
    let stat = read("memory.stat").unwrap_or_default();
    let of = |key: &str| {
        let value = stat.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        value.and_then(|value| value.trim().parse::<u64>().ok())
    };
    // In version 1 only the `total_` figures count the groups inside.
    let cached = |key: &str| of(&format!("total_{key}")).or_else(|| of(key)).unwrap_or(0);
    let given_back = cached("inactive_file") + cached("active_file");
    Some(limit.saturating_sub(used.saturating_sub(given_back)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_kernel_writes() {
        let text = "MemTotal:       24554876 kB\nMemFree:        1 kB\nMemAvailable:   2048 kB\n";
        assert_eq!(kibibytes(text, "MemAvailable:"), Some(2048 * 1024));
        assert_eq!(kibibytes("MemTotal: 1 kB\n", "MemAvailable:"), None);
        let limits =
            |soft| format!("Max cpu time  1  2  seconds\nMax address space  {soft}  unlimited  bytes\n");
        assert_eq!(address_space(&limits("4096000")), Some(4_096_000));
        assert_eq!(address_space(&limits("unlimited")), None);
    }

    #[test]
    fn finds_the_groups_of_both_versions() {
        let dirs = group_dirs("9:name=systemd:/x\n4:cpu,memory:/a/b\n0::/c\n", Path::new("/m"));
        let expected = ["/m/memory/a/b", "/m/memory/a", "/m/memory/", "/m/c", "/m/"];
        assert_eq!(dirs, expected.map(PathBuf::from));
    }

    #[test]
    fn a_group_gives_back_its_cached_files() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text);
        assert_eq!(left_in_group(dir.path()), None);
        write("memory.limit_in_bytes", "1000\n")?;
        write("memory.usage_in_bytes", "600\n")?;
        write("memory.stat", "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 50\n")?;
        assert_eq!(left_in_group(dir.path()), Some(550));
        write("memory.max", "max\n")?;
        assert_eq!(left_in_group(dir.path()), Some(550), "no limit in version 2");
        write("memory.max", "700\n")?;
        write("memory.current", "800\n")?;
        write("memory.stat", "anon 3\ninactive_file 200\n")?;
        assert_eq!(left_in_group(dir.path()), Some(100));
        Ok(())
    }

    #[test]
    fn disk_space_of_a_directory_not_made_yet() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        assert!(free_disk(&dir.path().join("not/there/yet"))? > 0);
        Ok(())
    }
}
