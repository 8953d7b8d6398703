//! The exports: three functions, and the memory.

use std::cell::RefCell;

use crate::engine::WebEngine;

/// The module's only state.
struct Module {
    engine: WebEngine,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::new(Module {
        engine: WebEngine::default(),
        input: Vec::new(),
        output: Vec::new(),
    });
}

/// Room for a request of so many bytes.
#[expect(
    unsafe_code,
    reason = "the name is this crate's alone: nothing else that is linked bears it"
)]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn westwood_input(bytes: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.input.clear();
        module.input.resize(bytes, 0);
        module.input.as_mut_ptr()
    })
}

/// Carries out the request in the input: the length of the reply.
#[expect(
    unsafe_code,
    reason = "the name is this crate's alone: nothing else that is linked bears it"
)]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn westwood_call() -> usize {
    MODULE.with_borrow_mut(|module| {
        module.output = module.engine.answer(&module.input).into_bytes();
        module.output.len()
    })
}

/// The place of the reply: it stays until the next call.
#[expect(
    unsafe_code,
    reason = "the name is this crate's alone: nothing else that is linked bears it"
)]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn westwood_output() -> *const u8 {
    MODULE.with_borrow(|module| module.output.as_ptr())
}
