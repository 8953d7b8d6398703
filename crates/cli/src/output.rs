//! Files that are whole or not there, and a stdout that may close early.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::draft::{draft, remove_abandoned};
use crate::exit::{CommandExit, Stop};

/// Prints to stdout. A reader that has seen enough is no error.
pub(crate) fn print(text: &str) -> Result<(), Stop> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Stop::new(CommandExit::Environment, format!("stdout cannot be written: {e}")))
        }
        _ => Ok(()),
    }
}

/// Prints a line to stderr. One that is closed or full changes nothing else.
pub(crate) fn tell(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// A file that appears under its name only when it is complete.
#[derive(Debug)]
pub(crate) struct Output {
    target: PathBuf,
    /// A file beside the target; none for a device or a pipe, which is written as it is.
    draft: Option<PathBuf>,
    flag: &'static str,
}

impl Output {
    /// Checks that the file can be written, and reserves its draft.
    pub(crate) fn prepare(flag: &'static str, path: &Path) -> Result<Self, Stop> {
        let refused = |why: &str| Stop::bad_input(format!("{flag}: '{}' {why}", path.display()));
        if path.is_dir() {
            return Err(refused("is a directory; name a file in it"));
        }
        let Some(name) = path.file_name() else {
            return Err(refused("names no file"));
        };
        if path.exists() && !path.is_file() {
            return Ok(Self { target: path.to_owned(), draft: None, flag });
        }
        // A link is followed, so that the file behind it is replaced and not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        if !folder.is_dir() {
            return Err(refused("is in a folder that does not exist"));
        }
        let name = name.to_string_lossy();
        remove_abandoned(&folder, |other| other == name);
        let draft = draft(&folder, &name);
        // There is a draft of this process already: two flags name one file.
        File::create_new(&draft).map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => {
                refused("is named twice; give each output a file of its own")
            }
            _ => refused(&format!("cannot be written: {e}")),
        })?;
        Ok(Self { target, draft: Some(draft), flag })
    }

    /// Writes the file, and says so on stderr if asked to.
    pub(crate) fn write(self, text: &str, say: bool) -> Result<(), Stop> {
        let name = self.target.display().to_string();
        self.put(text)?;
        if say {
            tell(format_args!("wrote {name}"));
        }
        Ok(())
    }

    fn put(mut self, text: &str) -> Result<(), Stop> {
        let done = match self.draft.take() {
            None => fs::write(&self.target, text),
            Some(draft) => fs::write(&draft, text)
                .and_then(|()| fs::rename(&draft, &self.target))
                .inspect_err(|_| remove(&draft)),
        };
        done.map_err(|e| {
            let what = format!("{}: '{}' cannot be written: {e}", self.flag, self.target.display());
            Stop::new(CommandExit::Environment, what)
        })
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(draft) = &self.draft {
            remove(draft);
        }
    }
}

/// Removes a draft; if that fails, an empty hidden file stays behind, and that is all.
fn remove(draft: &Path) {
    let _ = fs::remove_file(draft);
}

/// A folder that is made if need be, and removed again if nothing comes to be in it.
#[derive(Debug)]
pub(crate) struct MadeFolder {
    /// The folder, if it was made here.
    made: Option<PathBuf>,
}

impl MadeFolder {
    /// Sees that there is a folder.
    pub(crate) fn prepare(flag: &'static str, path: &Path) -> Result<Self, Stop> {
        let refused = |why: &str| Stop::bad_input(format!("{flag}: '{}' {why}", path.display()));
        if path.exists() && !path.is_dir() {
            return Err(refused("is a file; name a folder"));
        }
        if path.exists() {
            return Ok(Self { made: None });
        }
        fs::create_dir(path).map_err(|e| refused(&format!("cannot be made: {e}")))?;
        Ok(Self { made: Some(path.to_owned()) })
    }
}

impl Drop for MadeFolder {
    fn drop(&mut self) {
        if let Some(made) = &self.made {
            // Fails, as it should, if a file has come to be in it.
            let _ = fs::remove_dir(made);
        }
    }
}

/// Several files in one folder, which is made if need be.
#[derive(Debug)]
pub(crate) struct OutputFolder {
    // Before the folder, which is removed if their drafts have left it empty.
    files: Vec<(&'static str, Output)>,
    path: PathBuf,
    _place: MadeFolder,
}

impl OutputFolder {
    /// Checks that the files can be written, and reserves their drafts.
    pub(crate) fn prepare(
        flag: &'static str,
        path: &Path,
        names: &[&'static str],
    ) -> Result<Self, Stop> {
        let place = MadeFolder::prepare(flag, path)?;
        let mut folder = Self { files: Vec::new(), path: path.to_owned(), _place: place };
        for &name in names {
            folder.files.push((name, Output::prepare(flag, &path.join(name))?));
        }
        Ok(folder)
    }

    /// Writes the files, and says so on stderr if asked to. Those that were prepared and are not among
    /// them leave no trace.
    pub(crate) fn write<N: AsRef<str>>(
        mut self,
        files: &[(N, String)],
        say: bool,
    ) -> Result<(), Stop> {
        let mut written = 0;
        for (name, output) in self.files.drain(..) {
            if let Some((_, text)) = files.iter().find(|(n, _)| n.as_ref() == name) {
                output.put(text)?;
                written += 1;
            }
        }
        if say {
            let files = if written == 1 { "file" } else { "files" };
            tell(format_args!("wrote {written} {files} in {}", self.path.display()));
        }
        Ok(())
    }
}
