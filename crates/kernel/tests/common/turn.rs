//! Names in the kernel are for the whole machine.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use fs4::FileExt;

/// The turn to use our names and to count what is in the kernel: of this test, among all tests of all
/// processes, for as long as the value lives.
pub(crate) fn turn() -> File {
    let path = std::env::temp_dir().join("westwood-kernel-tests.lock");
    // Another user's will do, if he lets others read it, whatever his umask.
    let made = File::create(&path).inspect(|file| {
        let _ = file.set_permissions(Permissions::from_mode(0o666));
    });
    let file = made.or_else(|_| File::open(&path)).unwrap_or_else(|error| {
        panic!("{}: {error}; it is another user's: remove it", path.display())
    });
    FileExt::lock(&file).unwrap();
    file
}
