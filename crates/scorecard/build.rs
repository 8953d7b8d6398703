//! Puts the files of `criteria/` into the program, and the head of each controller's file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The recorded capacity that a criterion shares with a ready scenario.
const TRACE: &str = "lte-walk.trace";

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let criteria = root.join("criteria/rfc9743").canonicalize()?;
    let controllers = root.join("crates/cc/src/controllers").canonicalize()?;
    let trace = root.join("scenarios").join(TRACE).canonicalize()?;
    println!("cargo::rerun-if-changed={}", criteria.display());
    println!("cargo::rerun-if-changed={}", trace.display());
    println!("cargo::rerun-if-changed={}", controllers.display());
    let mut code = String::from(
        "/// The files of the examination: name and text.\nstatic FILES: &[(&str, &str)] = &[\n",
    );
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml");
    for file in sorted(&criteria)?.into_iter().filter(is_toml) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let _ = writeln!(code, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    let _ = writeln!(code, "    ({TRACE:?}, include_str!({:?})),", trace.display().to_string());
    code.push_str(
        "];\n\n/// The head of each controller's file: canonical name and text.\n\
         static CONTROLLER_HEADS: &[(&str, &str)] = &[\n",
    );
    for path in sorted(&controllers)? {
        let file = if path.is_dir() { path.join("mod.rs") } else { path };
        if let Some((name, head)) = head(&fs::read_to_string(&file)?) {
            let _ = writeln!(code, "    ({name:?}, {head:?}),");
        }
    }
    code.push_str("];\n");
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("files.rs"), code)
}

/// The canonical name of a controller, and the text that its file opens with; none of another file.
fn head(text: &str) -> Option<(String, String)> {
    let info = text.split_once("pub const INFO: Info")?.1;
    let name = info.split_once("name: \"")?.1.split('"').next()?.to_owned();
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    Some((name, lines.join("\n")))
}

/// The entries of a folder, in order of name.
fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}
