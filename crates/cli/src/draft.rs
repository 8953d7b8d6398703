//! Drafts: hidden files beside their targets, `.NAME.PROCESS.part`, that get the name when they are whole.
//!
//! A process that is killed leaves its drafts behind; the next one that writes to the same place removes
//! them.

use std::fs;
use std::path::{Path, PathBuf};

/// The draft of this process for a file of this name.
pub(crate) fn draft(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.{}.part", std::process::id()))
}

/// Removes the drafts of processes that exist no more, for files whose names are `wanted`. A draft that
/// cannot be removed stays: it is hidden, and nothing depends on it.
pub(crate) fn remove_abandoned(folder: &Path, wanted: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let parts = file.to_str().and_then(parts);
        if parts.is_some_and(|(name, process)| wanted(name) && has_ended(process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The target's name and the process of a draft.
fn parts(file: &str) -> Option<(&str, u32)> {
    let (name, process) = file.strip_prefix('.')?.strip_suffix(".part")?.rsplit_once('.')?;
    Some((name, process.parse().ok()?))
}

/// Whether a process has ended; no where the system does not tell.
fn has_ended(process: u32) -> bool {
    let all = Path::new("/proc");
    all.join("self").exists() && !all.join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_names_its_target_and_its_process() {
        let path = draft(Path::new("out"), "a.b.json");
        let name = path.file_name().and_then(|name| name.to_str()).unwrap();
        assert_eq!(parts(name), Some(("a.b.json", std::process::id())));
        for other in ["a.json.1.part", ".a.json.part", ".a.json.x.part", ".a.json.1.part2"] {
            assert_eq!(parts(other), None, "{other}");
        }
    }
}
