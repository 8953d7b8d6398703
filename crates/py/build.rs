//! An extension module finds Python's symbols when it is imported: on macOS the linker has to be told.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
