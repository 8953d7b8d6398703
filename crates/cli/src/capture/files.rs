//! The files of a capture: whole or not there, with names that any system allows.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use westwood_capture::write::Capture;
use westwood_sim::{Tap, TapEvent};

use crate::draft::{draft, remove_abandoned};

/// The capture of one run, and the files in which it comes to be.
pub(crate) struct Files {
    pub(super) drafts: Vec<Draft>,
    pub(super) capture: Option<Capture<BufWriter<File>>>,
}

impl Tap for Files {
    fn sees(&mut self, sighting: &TapEvent) {
        if let Some(capture) = &mut self.capture {
            capture.sees(sighting);
        }
    }
}

/// A file that gets its name when it is whole, and vanishes if it never is.
pub(crate) struct Draft {
    pub(crate) path: PathBuf,
    target: PathBuf,
}

impl Draft {
    pub(crate) fn new(folder: &Path, name: &str) -> Self {
        Self { path: draft(folder, name), target: folder.join(name) }
    }

    /// Removes those that killed processes left in a folder.
    pub(crate) fn remove_abandoned(folder: &Path) {
        remove_abandoned(folder, |name| name.ends_with(".pcapng"));
    }

    /// Gives it its name: how many bytes it has.
    pub(crate) fn keep(self) -> std::io::Result<u64> {
        let bytes = fs::metadata(&self.path)?.len();
        fs::rename(&self.path, &self.target).map(|()| bytes)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // It is not there any more if it was kept.
        let _ = fs::remove_file(&self.path);
    }
}

/// A name as it may stand in a file's name on any system.
pub(crate) fn slug(name: &str) -> String {
    const MOST: usize = 80;
    let mut slug = String::new();
    for c in name.chars().take(MOST) {
        let kept = c.is_alphanumeric() || "+=._".contains(c);
        match (kept, slug.ends_with('-')) {
            (true, _) => slug.push(c),
            (false, false) => slug.push('-'),
            (false, true) => {}
        }
    }
    slug.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_keep_what_every_system_allows() {
        assert_eq!(slug("westwood+(tau=0.3s), loss=1 %"), "westwood+-tau=0.3s-loss=1");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("a\0b\\c:d\"*"), "a-b-c-d");
    }
}
