//! The objects that are shipped are those that the C makes.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// The tests' requirements, or the reason of a skip; with `WESTWOOD_REQUIRE_KERNEL=1` a skip is
/// a failure.
fn skip(why: &str) {
    assert!(std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_none(), "needed: {why}");
    // Past the test harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// Bytes depend on the compiler alone, so they are compared where it is of the same version.
#[test]
fn the_shipped_objects_are_what_clang_makes_of_the_source() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shipped = crate_folder.join("objects");
    let version = std::fs::read_to_string(shipped.join("clang-version")).unwrap();
    let Ok(clang) = Command::new("clang").arg("--version").output() else {
        return skip("clang, llvm and libbpf-dev, to rebuild the programs");
    };
    let clang = String::from_utf8_lossy(&clang.stdout).into_owned();
    if clang.lines().next() != version.lines().next() {
        return skip(&format!("{}, to rebuild the programs to the byte", version.trim()));
    }
    if !Path::new("/usr/include/bpf/bpf_helpers.h").exists() {
        return skip("libbpf-dev, to rebuild the programs");
    }
    let rebuilt = Path::new(env!("CARGO_TARGET_TMPDIR")).join("objects");
    let built = Command::new("sh").arg(crate_folder.join("bpf/build")).arg(&rebuilt).status();
    assert!(built.unwrap().success());
    for entry in std::fs::read_dir(&shipped).unwrap() {
        let name = entry.unwrap().file_name();
        let bytes = |folder: &Path| std::fs::read(folder.join(&name)).unwrap();
        assert!(
            bytes(&shipped) == bytes(&rebuilt),
            "{} is not what its source makes: run sh crates/kernel/bpf/build objects",
            name.display()
        );
    }
}
