//! Drafts: hidden files beside their targets, `.NAME.PROCESS.part`, that get the name when they are whole.
//!
//! A process that is killed leaves its drafts behind; the next one that writes to the same place removes
//! them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The draft of this process for a file of this name.
pub(crate) fn draft(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.{}.part", std::process::id()))
}

/// Whether this process has a draft for a file of this path.
pub(crate) fn is_reserved(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    draft(path.parent().unwrap_or(Path::new("")), &name).exists()
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

/// Writes a file that is whole or not there.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.part"));
    let written = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, path));
    written.inspect_err(|_| {
        // The rest of the draft is useless; if it cannot be removed, it is hidden.
        let _ = fs::remove_file(&draft);
    })
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
