"""Fingerprints of controllers in Python: a sweep goes on with the code and the values that it began with.

A fingerprint is taken of all that a controller acts by: bytecode, constants, defaults, values of classes and
variables, and the same of the functions and classes that it uses. Names of files, lines, comments and
docstrings are no part of it. A function or a class of a library counts by its name.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import sys
import sysconfig
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

BOOKKEEPING = {
    "__abstractmethods__",
    "__annotate__",
    "__annotate_func__",
    "__annotations__",
    "__annotations_cache__",
    "__classcell__",
    "__dict__",
    "__doc__",
    "__firstlineno__",
    "__module__",
    "__orig_bases__",
    "__parameters__",
    "__qualname__",
    "__static_attributes__",
    "__weakref__",
    "_abc_impl",
}
"""Attributes of a class that no controller acts by."""

KINDS = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)
"""Flags of code that say what it does; others say how its text was read."""

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))


def of_controller(controller: object) -> dict[str, str]:
    """Return the fingerprint of each attribute of a class and of its bases, or of a function's whole."""
    if not isinstance(controller, type):
        return {"its functions": _digest(_text(controller, {}))}
    members: dict[str, str] = {}
    for base in _own_bases(controller):
        for name, value in _attributes(base):
            place = f"{base.__name__}.{name}"
            # A variant has the name of the class that it is of.
            members[place] = _digest(members.get(place, "") + _text(value, {}))
    return members


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _own_bases(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if not _is_library(base.__module__)]


def _attributes(cls: type) -> list[tuple[str, Any]]:
    return sorted((name, value) for name, value in vars(cls).items() if name not in BOOKKEEPING)


@functools.cache
def _libraries() -> tuple[Path, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return (Path(__file__).parent, *(Path(path) for path in map(sysconfig.get_path, names) if path))


def _is_library(module: str | None) -> bool:
    """Whether a module is another's: this package, Python's own, or an installed one."""
    if module == "__main__":
        return False
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    if file is None:
        # Built in; or of a class that came by value, whose module this process has not.
        return (module or "builtins") in sys.modules
    return any(library in Path(file).parents for library in _libraries())


def _named(value: Any) -> str:
    return f"{getattr(value, '__module__', None)}.{getattr(value, '__qualname__', type(value).__qualname__)}"


def _text(value: Any, open_: dict[int, int]) -> str:
    """Write a value, with all that it refers to, in one way whatever the process.

    ``open_`` has those that are being written, outermost first: a value that refers to one says which.
    """
    if isinstance(value, PLAIN) and type(value) in PLAIN:
        return f"{type(value).__name__} {value!r}"
    if id(value) in open_:
        return f"within {open_[id(value)]}"
    open_[id(value)] = len(open_)
    try:
        return f"({_whole(value, open_)})"
    finally:
        del open_[id(value)]


def _whole(value: Any, open_: dict[int, int]) -> str:
    def texts(values: Any) -> str:
        return ", ".join(_text(one, open_) for one in values)

    match value:
        case FunctionType():
            return _function(value, open_)
        case MethodType():
            return texts((value.__func__, value.__self__))
        case CodeType():
            return _code(value, None, open_)
        case type():
            if _is_library(value.__module__):
                return f"class {_named(value)}"
            members = (f"{name}={_text(one, open_)}" for name, one in _attributes(value))
            return f"class {value.__name__} {texts(value.__bases__)}: {', '.join(members)}"
        case ModuleType():
            return f"module {value.__name__}"
        case BuiltinFunctionType():
            return f"function {_named(value)}"
        case staticmethod() | classmethod():
            return f"{type(value).__name__} {_text(value.__func__, open_)}"
        case property():
            return f"property {texts((value.fget, value.fset, value.fdel))}"
        case functools.cached_property():
            return f"cached {_text(value.func, open_)}"
        case functools.partial():
            return f"partial {texts((value.func, value.args, value.keywords))}"
        case tuple() | list():
            return f"{type(value).__name__} {texts(value)}"
        case set() | frozenset():
            return f"set {', '.join(sorted(_text(one, open_) for one in value))}"
        case dict():
            items = (f"{_text(key, open_)}: {_text(one, open_)}" for key, one in value.items())
            return f"dict {', '.join(sorted(items))}"
    for compiled in ("py_func", "_pyfunc"):
        # Those of numba.
        if isinstance(getattr(value, compiled, None), FunctionType):
            return f"compiled {_text(getattr(value, compiled), open_)}"
    if not _is_library(type(value).__module__) and hasattr(value, "__dict__"):
        return f"object {texts((type(value), vars(value)))}"
    try:
        # Arrays and numbers of libraries.
        return f"{_named(type(value))} {hashlib.sha256(pickle.dumps(value, 4)).hexdigest()}"
    except Exception:
        # An object that cannot be written down is told by its type alone.
        return _named(type(value))


def _function(function: FunctionType, open_: dict[int, int]) -> str:
    if _is_library(function.__module__):
        return f"function {_named(function)}"
    used = []
    names = _names(function.__code__)
    for name in sorted(names & function.__globals__.keys()):
        one = function.__globals__[name]
        used.append(f"{name}={_text(one, open_)}")
        if isinstance(one, ModuleType) and not _is_library(one.__name__):
            # The attributes of a module of the user's that may be meant.
            parts = sorted(names & vars(one).keys())
            used.extend(f"{name}.{part}={_text(vars(one)[part], open_)}" for part in parts)
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(_text(cell.cell_contents, open_))
        except ValueError:
            cells.append("empty")
    defaults = _text((function.__defaults__, function.__kwdefaults__), open_)
    code = _code(function.__code__, function.__doc__, open_)
    return f"function {code}; {defaults}; {', '.join(cells)}; {', '.join(used)}"


def _names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _code(code: CodeType, doc: str | None, open_: dict[int, int]) -> str:
    constants = [None if doc is not None and one == doc else one for one in code.co_consts]
    parts = (
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & KINDS),
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        getattr(code, "co_exceptiontable", b""),
    )
    written = ", ".join(_text(one, open_) for one in constants)
    return f"code {parts!r} {written}"
