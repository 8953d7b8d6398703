//! Files that are whole or not there, and a stdout that may close early.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use westwood_report::table::wrapped_message;

use crate::draft::{draft, is_reserved, remove_abandoned};
use crate::exit::{CommandExit, Stop};
use crate::terminal;

/// Prints to stdout. A reader that has seen enough is no error.
pub(crate) fn print(text: &str) -> Result<(), Stop> {
    all_to(&mut io::stdout().lock(), text.as_bytes())
        .map_err(|e| Stop::new(CommandExit::Environment, format!("stdout cannot be written: {e}")))
}

/// Prints a message to stderr, within its width on a terminal. A stderr that is closed or full changes
/// nothing else.
pub(crate) fn tell(line: fmt::Arguments<'_>) {
    let line = line.to_string();
    let line = match terminal::width_of_messages() {
        Some(width) => wrapped_message(&line, width),
        None => line,
    };
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// A file that appears under its name only when it is complete, or a stream that is written as it is.
#[derive(Debug)]
pub(crate) struct Output {
    place: OutputPlace,
    /// The name to tell people.
    name: PathBuf,
    flag: &'static str,
}

/// The kinds of outputs.
#[derive(Debug)]
enum OutputPlace {
    /// The process's own stdout, whatever the shell has led it to.
    Stdout,
    /// The same of stderr.
    Stderr,
    /// A descriptor that the shell has opened: written at its end, since it may have more writers.
    Descriptor(PathBuf),
    /// A device or a pipe.
    Stream(PathBuf),
    /// A file, and the draft beside it; none once it is written.
    File { target: PathBuf, draft: Option<PathBuf> },
}

impl Output {
    /// Checks that the file can be written, and reserves its draft.
    pub(crate) fn prepare(flag: &'static str, path: &Path) -> Result<Self, Stop> {
        let refused = |why: &str| Stop::bad_input(format!("{flag}: '{}' {why}", path.display()));
        if path.is_dir() {
            return Err(refused("is a directory; name a file in it"));
        }
        not_below_a_file(flag, path)?;
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(refused("names a directory; name a file"));
        }
        // A link is followed, so that the file behind it is replaced and not the link.
        let target = behind_links(path).map_err(|e| refused(&format!("cannot be written: {e}")))?;
        let made = |place, name: &Path| Ok(Self { place, name: name.to_owned(), flag });
        match descriptor(&target) {
            Some(1) => return made(OutputPlace::Stdout, path),
            Some(2) => return made(OutputPlace::Stderr, path),
            Some(_) => return made(OutputPlace::Descriptor(target), path),
            None => {}
        }
        if target.exists() && !target.is_file() {
            return made(OutputPlace::Stream(target), path);
        }
        let Some(name) = target.file_name() else {
            return Err(refused("names no file"));
        };
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        if !folder.is_dir() {
            return Err(refused(&if target == path {
                "is in a folder that does not exist".to_owned()
            } else {
                format!("links to '{}', in a folder that does not exist", target.display())
            }));
        }
        let name = name.to_string_lossy();
        remove_abandoned(&folder, |other| other == name);
        let draft = draft(&folder, &name);
        // There is a draft of this process already: two flags name one file.
        File::create_new(&draft).map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => {
                refused("is named twice; give each output a file of its own")
            }
            _ => cannot_write(flag, path, &e),
        })?;
        made(OutputPlace::File { target: target.clone(), draft: Some(draft) }, &target)
    }

    /// Writes the file, and says so on stderr if asked to.
    pub(crate) fn write(self, text: &str, say: bool) -> Result<(), Stop> {
        let name = self.name.display().to_string();
        self.put(text)?;
        if say {
            tell(format_args!("wrote {name}"));
        }
        Ok(())
    }

    fn put(mut self, text: &str) -> Result<(), Stop> {
        let bytes = text.as_bytes();
        let written = match &mut self.place {
            OutputPlace::Stdout => all_to(&mut io::stdout().lock(), bytes),
            OutputPlace::Stderr => all_to(&mut io::stderr().lock(), bytes),
            OutputPlace::Descriptor(path) => OpenOptions::new()
                .append(true)
                .open(path)
                .and_then(|mut file| all_to(&mut file, bytes)),
            OutputPlace::Stream(path) => OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut file| all_to(&mut file, bytes)),
            OutputPlace::File { target, draft } => match draft.take() {
                None => Ok(()),
                Some(draft) => fs::write(&draft, bytes)
                    .and_then(|()| fs::rename(&draft, target))
                    .inspect_err(|_| remove(&draft)),
            },
        };
        written.map_err(|e| cannot_write(self.flag, &self.name, &e))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let OutputPlace::File { draft: Some(draft), .. } = &self.place {
            remove(draft);
        }
    }
}

/// The refusal of the system to write a file or folder of a flag. A name that the checks here let pass
/// is right, and the environment lacks something.
pub(crate) fn cannot_write(flag: &str, path: &Path, error: &io::Error) -> Stop {
    let what = format!("{flag}: '{}' cannot be written: {error}", path.display());
    Stop::new(CommandExit::Environment, what)
}

/// Refuses a name that can be no folder, be there something or not.
pub(crate) fn check_folder(flag: &str, path: &Path) -> Result<(), Stop> {
    let refused = |why: &str| Stop::bad_input(format!("{flag}: '{}' {why}", path.display()));
    if path.exists() && !path.is_dir() {
        return Err(refused("is a file; name a folder"));
    }
    if is_reserved(path) {
        return Err(refused("is named twice; give each output a place of its own"));
    }
    not_below_a_file(flag, path)
}

/// Refuses a name that takes a file for a folder.
fn not_below_a_file(flag: &str, path: &Path) -> Result<(), Stop> {
    let above = path.ancestors().skip(1).find(|above| above.exists() && !above.is_dir());
    above.map_or(Ok(()), |file| {
        let what = format!("{flag}: '{}' is below '{}', a file", path.display(), file.display());
        Err(Stop::bad_input(format!("{what}; name another folder")))
    })
}

/// Writes a stream. A reader that has seen enough is no error.
fn all_to(stream: &mut impl io::Write, bytes: &[u8]) -> io::Result<()> {
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// The path that a path leads to by symbolic links, be there something or not; one of a descriptor is the
/// end of the way.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        if descriptor(&path).is_some() {
            return Ok(path);
        }
        let Ok(next) = fs::read_link(&path) else {
            return Ok(path);
        };
        // A pipe or a socket of another process has a link that names no file.
        if path.exists() && !path.is_file() && !path.with_file_name(&next).exists() {
            return Ok(path);
        }
        path = path.with_file_name(next);
    }
    Err(io::Error::other("too many links, one after the other"))
}

/// The number of a descriptor of this process whose path this is.
fn descriptor(path: &Path) -> Option<u32> {
    let folders = ["/dev/fd", "/proc/self/fd"];
    let number = folders.iter().find_map(|folder| path.strip_prefix(folder).ok());
    number?.to_str()?.parse().ok()
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
        check_folder(flag, path)?;
        if path.exists() {
            return Ok(Self { made: None });
        }
        let above = path.parent().filter(|above| !above.as_os_str().is_empty());
        if above.is_some_and(|above| !above.is_dir()) {
            let what = format!("{flag}: '{}' is in a folder that does not exist", path.display());
            return Err(Stop::bad_input(what));
        }
        fs::create_dir(path).map_err(|e| cannot_write(flag, path, &e))?;
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
