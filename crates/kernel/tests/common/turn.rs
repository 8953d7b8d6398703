//! Names in the kernel are for the whole machine.

use std::fs::File;

use fs4::FileExt;

/// The turn to use our names and to count what is in the kernel: of this test, among all tests of all
/// processes, for as long as the value lives.
pub(crate) fn turn() -> File {
    let path = std::env::temp_dir().join("westwood-kernel-tests.lock");
    // Another user's will do.
    let file = File::create(&path).or_else(|_| File::open(&path)).unwrap();
    FileExt::lock(&file).unwrap();
    file
}
