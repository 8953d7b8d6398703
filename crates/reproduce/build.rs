//! Puts the files of `papers/` into the program: their paths and texts as the constant `FILES`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let papers = root.join("../../papers").canonicalize()?;
    println!("cargo::rerun-if-changed={}", papers.display());
    let mut files = Vec::new();
    for folder in sorted(&papers)?.into_iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        let kept = |path: &PathBuf| path.extension().is_some_and(|e| e == "toml" || e == "md");
        files.extend(sorted(&folder)?.into_iter().filter(kept));
    }
    let mut code = String::from(
        "/// The files of all papers: path from the folder `papers`, and text.\n\
         static FILES: &[(&str, &str)] = &[\n",
    );
    for file in &files {
        let name = file.strip_prefix(&papers).map_err(io::Error::other)?;
        let name = name.display().to_string().replace('\\', "/");
        let _ = writeln!(code, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    code.push_str("];\n");
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("papers.rs"), code)
}

/// The entries of a folder, in order of name.
fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}
