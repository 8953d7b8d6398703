//! Calls of a verb: by an array of arguments, where Python's stable interface has such calls.
//!
//! `PyObject_Vectorcall` takes arguments from an array of the caller's, while `PyObject_Call` takes a tuple
//! that is made for each call, filled and thrown away. It is part of the stable interface from Python 3.12
//! on, and the package serves Python 3.10 by the same file, so that it is looked up when a class is
//! registered, by the interpreter's own name for it.

use std::mem::transmute;
use std::ptr::null_mut;

use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The most arguments of a verb, the controller itself among them: those of `measure`.
pub(super) const MOST: usize = 12;

/// `PyObject_Vectorcall(callable, args, nargsf, kwnames)`: a new reference, or null with an exception set.
type Vectorcall = unsafe extern "C" fn(
    *mut PyObject,
    *const *mut PyObject,
    usize,
    *mut PyObject,
) -> *mut PyObject;

/// The interpreter's way to call by an array.
#[derive(Clone, Copy)]
pub(super) struct CallByArray(Vectorcall);

impl CallByArray {
    /// The interpreter's function; none before Python 3.12.
    pub(super) fn of(py: Python<'_>) -> PyResult<Option<Self>> {
        if py.version_info() < (3, 12) {
            return Ok(None);
        }
        let ctypes = py.import("ctypes")?;
        let found = ctypes.getattr("pythonapi")?.getattr_opt("PyObject_Vectorcall")?;
        let Some(function) = found else { return Ok(None) };
        let address = ctypes.call_method1("cast", (function, ctypes.getattr("c_void_p")?))?;
        let address: usize = address.getattr("value")?.extract()?;
        let place = std::ptr::with_exposed_provenance::<()>(address);
        #[expect(unsafe_code, reason = "an address becomes a function by nothing else")]
        // SAFETY: a pointer and an `Option` of an `extern "C"` function pointer have one size, and null is
        // `None` (both guaranteed by the documentation of `Option`). `ctypes.pythonapi` found the address in
        // the interpreter under this name, and from Python 3.12 on, which this is, the stable interface
        // fixes the function's type (C API reference: "Part of the Stable ABI since version 3.12"). It stays
        // as long as the interpreter does.
        let function = unsafe { transmute::<*const (), Option<Vectorcall>>(place) };
        Ok(function.map(Self))
    }

    /// Calls a function with these arguments, at most [`MOST`].
    fn call<'py>(
        self,
        function: &Bound<'py, PyAny>,
        arguments: &[Option<Bound<'py, PyAny>>],
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut given = [null_mut(); MOST];
        let mut count = 0;
        for (place, argument) in given.iter_mut().zip(arguments.iter().flatten()) {
            *place = argument.as_ptr();
            count += 1;
        }
        #[expect(unsafe_code, reason = "PyO3 has the call for Python 3.12 and later alone")]
        // SAFETY: `function` and the first `count` pointers of `given` are of objects that are borrowed until
        // the call returns, and `count` is no more than the array's length; the flag
        // PY_VECTORCALL_ARGUMENTS_OFFSET is not set, so that the callee writes nothing into the array. There
        // are no keywords. `Python` witnesses that this thread is attached to the interpreter. The result is
        // a new reference, or null with an exception set, which `from_owned_ptr_or_err` fetches.
        unsafe {
            let answer = (self.0)(function.as_ptr(), given.as_ptr(), count, null_mut());
            Bound::from_owned_ptr_or_err(function.py(), answer)
        }
    }
}

/// Calls a function with the controller and then these arguments.
pub(super) fn call<'py>(
    by_array: Option<CallByArray>,
    function: &Bound<'py, PyAny>,
    controller: Bound<'py, PyAny>,
    others: impl ExactSizeIterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(by_array) = by_array.filter(|_| others.len() < MOST) else {
        // A chain of iterators does not tell its length, which a tuple is made with.
        let (py, count) = (function.py(), others.len() + 1);
        let mut all = std::iter::once(controller).chain(others);
        let one = |_| all.next().unwrap_or_else(|| py.None().into_bound(py));
        return function.call1(PyTuple::new(py, (0..count).map(one))?);
    };
    let mut arguments = [const { None }; MOST];
    for (place, argument) in arguments.iter_mut().zip(std::iter::once(controller).chain(others)) {
        *place = Some(argument);
    }
    by_array.call(function, &arguments)
}
