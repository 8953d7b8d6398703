"""Congestion controllers written in Python, usable wherever a controller's name is.

>>> import westwood
>>> class Careful(westwood.Controller):
...     '''Reno that opens its window half as fast.'''
...
...     def grow(self, cwnd, ssthresh, credit):
...         return cwnd + (credit if cwnd < ssthresh else credit / cwnd / 2)
>>> r = westwood.compare(cc=["reno", Careful], rate="5Mbit/s", rtt="40ms", time="5s", seeds=1)
>>> r.runs["cc"]
['reno', 'careful']

"""

from __future__ import annotations

import ctypes
import difflib
import inspect
import re
import sys
import uuid
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from westwood import _native
from westwood._fingerprint import of_controller
from westwood.errors import BadScenario

__all__ = ["Controller", "RegisteredController", "compiled"]

VERBS = (
    "start",
    "measure",
    "lost",
    "grow",
    "reduce",
    "recovered",
    "undone",
    "restarted",
    "pacing_rate",
    "bwe",
)
"""The methods of a controller that are called."""

C_SIGNATURES = {
    "measure": "void(CPointer(float64), float64, float64, float64, float64, float64)",
    "grow": "float64(CPointer(float64), float64, float64, float64, float64)",
    "reduce": "float64(CPointer(float64), float64, float64, float64, float64)",
}
"""The signatures of :func:`compiled`'s functions, as ``numba.cfunc`` reads them."""

_STATE = ctypes.POINTER(ctypes.c_double)
C_TYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "measure": (None, (_STATE, *[ctypes.c_double] * 5)),
    "grow": (ctypes.c_double, (_STATE, *[ctypes.c_double] * 4)),
    "reduce": (ctypes.c_double, (_STATE, *[ctypes.c_double] * 4)),
}
"""The same as ctypes has them: result and arguments."""

_CALLED: list[object] = []
"""The compiled functions, which stay until the process ends: runs have their addresses alone."""

_KNOWN: dict[str, type[Controller]] = {}
"""The class that each name stands for."""

_BOUND: dict[str, object] = {}
"""Controllers that are no classes, by name: their functions, which stay in this process."""

_PROCESS = uuid.uuid4().hex
"""The name of this process."""


class Controller:
    """A congestion controller: a subclass has the verbs that differ from Reno's, and is named as ``cc``.

    A verb that the class does not have does as Reno does and is never called: slow start, then a segment a
    round-trip time; half of the window after congestion. Each connection has an object of its own, made
    without arguments.

    A verb names the arguments that it wants, in any order, of those listed here. Windows and counts are
    floats in segments, times are floats in seconds since the run began, rates are floats in segments a
    second.

    ``start(smss, initial_window, seed)``
        The connection begins; ``smss`` is the payload of a segment in bytes.
    ``measure(now, rtt, srtt, newly, in_flight, delivered, delivered_ce, snd_una, snd_nxt, delivery_rate,
    app_limited, one_way_delay)``
        An ACK, before losses are judged. ``rtt`` is its sample or ``None``; ``newly`` the segments covered, 0
        for a duplicate; ``delivered_ce`` those whose marks were told of; ``delivery_rate`` a sample or
        ``None``, which only a controller with ``everything`` has; ``one_way_delay`` the time from the
        segment's departure to its ACK's, by two clocks: only differences mean something, and it may be
        negative. It is ``None`` where the ACK covers nothing new, and without ``receiver_clock``.
    ``lost(now, seq, in_flight, lost_since, app_limited)``
        A segment is judged lost; only told with ``everything``.
    ``grow(cwnd, ssthresh, credit, now, in_flight, newly_lost, cwnd_limited, phase)``
        The window may grow: returns cwnd, or cwnd and ssthresh. ``credit`` is how much this ACK counts;
        ``phase`` is ``"open"``, ``"recovery"`` or ``"loss"``.
    ``reduce(cwnd, ssthresh, cause, now)``
        Congestion, once a loss window: returns ssthresh, or ssthresh and the window at which recovery ends.
        ``cause`` is ``"loss"``, ``"timeout"`` or ``"mark"``.
    ``recovered(cwnd, ssthresh, now)``
        Recovery ends: returns as ``grow``.
    ``undone(cwnd, ssthresh, cwnd_before, ssthresh_before, now)``
        The last reduction was spurious: returns as ``grow``.
    ``restarted(cwnd, ssthresh, idle, now)``
        Sending begins again after ``idle`` seconds: returns as ``grow``.
    ``pacing_rate()``
        The rate at which segments are spread out, or ``None``. It counts with ``everything``, or where the
        controller is named as ``"NAME(pacing=on)"``.
    ``bwe()``
        The bandwidth estimate for curves, or ``None``.

    An exception ends the run and is raised where the run was asked for, with its traceback. Runs with such a
    controller are done one after the other in the calling thread.
    """

    name: ClassVar[str] = ""
    """The name in results; the class's own in lower case if it is empty."""

    everything: ClassVar[bool] = False
    """Whether the window is asked for on every ACK, recovery included, and the rate is the controller's."""

    @classmethod
    def variant(cls, name: str, /, **attributes: Any) -> type[Controller]:
        """Return a subclass with this name and other values of class attributes.

        >>> class Keep(Controller):
        ...     share = 0.5
        ...
        ...     def reduce(self, cwnd):
        ...         return cwnd * self.share
        >>> Keep.variant("keep-80", share=0.8).share
        0.8

        """
        return type(cls.__name__, (cls,), {**attributes, "name": name, "__doc__": cls.__doc__})


class RegisteredController:
    """A controller that is no class: usable wherever a controller's name is.

    Attributes:
        name: The name in results.

    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        """Tell the name."""
        return f"<westwood controller {self.name}>"


def compiled(
    name: str,
    *,
    measure: Any = None,
    grow: Any = None,
    reduce: Any = None,
    summary: str = "compiled functions",
) -> RegisteredController:
    """Make a controller of compiled functions, which runs need no interpreter for.

    Each function is one of ``numba.cfunc``, of the signature in :data:`C_SIGNATURES`, or of ctypes, of the
    types in :data:`C_TYPES`. A verb without a function does as Reno does. The first argument of each is the
    connection's state, 20 doubles that are zero at first; windows are in segments, times in seconds.

    ``measure(state, now, rtt, newly, in_flight, delivered)``: an ACK; ``rtt`` is NaN without a sample.
    ``grow(state, cwnd, ssthresh, credit, now)``: returns cwnd.
    ``reduce(state, cwnd, ssthresh, cause, now)``: returns ssthresh; ``cause`` is 0 for a loss, 1 for a
    timeout, 2 for a mark.

    A result that is not finite leaves the window as it is. A function must write to nothing but its state.

    Raises:
        TypeError: A function is not of ctypes or numba, or is of other types than its verb.

    """
    functions = {"measure": measure, "grow": grow, "reduce": reduce}
    at = {verb: _address(verb, function) for verb, function in functions.items()}
    _native.register_compiled(_checked(name), summary, at["measure"], at["grow"], at["reduce"])
    _KNOWN.pop(name, None)
    _BOUND[name] = functions
    _CALLED.append(functions)
    return RegisteredController(name)


def _address(verb: str, function: Any) -> int:
    """Return the address of a function that has the types of this verb, and zero for none.

    Raises:
        TypeError: It has others, or they are not known.

    """
    if function is None:
        return 0
    callable_ = getattr(function, "ctypes", function)
    result, arguments = C_TYPES[verb]
    found = (getattr(callable_, "restype", None), tuple(getattr(callable_, "argtypes", None) or ()))
    if found != (result, arguments):
        raise TypeError(f"{verb}: no function of {C_SIGNATURES[verb]}; make it by numba.cfunc or ctypes")
    return ctypes.cast(callable_, ctypes.c_void_p).value or 0


def known(controller: type[Controller] | RegisteredController) -> str:
    """Return the name of a controller, and make a class known by it."""
    if isinstance(controller, RegisteredController):
        return controller.name
    own = vars(controller)
    name = _checked(own.get("name") or controller.__name__.lower().replace("_", "-"))
    if _KNOWN.get(name) is not controller:
        _warn_of_misspelt_verbs(controller)
        doc = inspect.getdoc(controller) if own.get("__doc__") else ""
        summary = (doc or "").partition("\n")[0]
        _native.register_class(controller, name, summary, doc or "", controller.everything)
        _KNOWN[name] = controller
        _BOUND.pop(name, None)
    return name


def _warn_of_misspelt_verbs(controller: type[Controller]) -> None:
    """Warn of methods whose names are nearly those of verbs that the class lacks."""
    lacks = [verb for verb in VERBS if not hasattr(controller, verb)]
    for name in dir(controller):
        near = difflib.get_close_matches(name, lacks, n=1, cutoff=0.8)
        public = not name.startswith("_") and not hasattr(Controller, name)
        if near and public and callable(getattr(controller, name)):
            what = f"{controller.__name__}.{name} is never called: the verb is '{near[0]}'"
            warnings.warn(f"{what}; without it the controller does as Reno does there", stacklevel=2)


def _named_in(text: str) -> set[str]:
    """Return the words of a text that a controller may have as its name."""
    return set(re.findall(r"[a-z][a-z0-9+-]*", text))


def fingerprints(text: str) -> dict[str, dict[str, str]]:
    """Return what each controller in Python does whose name stands in a text, attribute by attribute."""
    known: dict[str, object] = {**_KNOWN, **_BOUND}
    return {name: of_controller(known[name]) for name in sorted(_named_in(text) & known.keys())}


class Luggage(NamedTuple):
    """The controllers in Python that an experiment names, for another process."""

    process: str
    classes: tuple[bytes, ...]
    bound: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Luggage:
        """Pack the classes whose names stand in a text, each by value: a worker needs no module of them.

        Raises:
            ImportError: A class is named, and cloudpickle is not installed.

        """
        named = _named_in(text)
        classes = [controller for name, controller in sorted(_KNOWN.items()) if name in named]
        packed = tuple(map(_by_value, classes))
        return cls(_PROCESS, packed, tuple(sorted(_BOUND.keys() & named)))

    def unpack(self) -> None:
        """Make the classes known here, if this is another process.

        Raises:
            RuntimeError: A controller of the experiment is no class, so that only its own process has it.

        """
        if self.process == _PROCESS:
            return
        if self.bound:
            what = f"'{self.bound[0]}' is known to the process alone that made it"
            raise RuntimeError(f"{what}; write it as a class, or sweep without an executor")
        if self.classes:
            import cloudpickle

            for one in self.classes:
                known(cloudpickle.loads(one))


def _by_value(controller: type[Controller]) -> bytes:
    """Pickle a class and the user's classes that it derives from, even where a module could be imported."""
    try:
        import cloudpickle
    except ImportError as error:
        what = (
            f"the class {controller.__name__} goes to other processes by cloudpickle, which is not installed"
        )
        raise ImportError(f"{what}: pip install cloudpickle", name="cloudpickle") from error

    names = {base.__module__ for base in controller.__mro__ if issubclass(base, Controller)}
    names -= {"__main__", __name__, *cloudpickle.list_registry_pickle_by_value()}
    modules = [sys.modules[name] for name in names if name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        return bytes(cloudpickle.dumps(controller))
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _checked(name: str) -> str:
    """Return a name that scenario files can have.

    Raises:
        BadScenario: It is none.

    """
    if not re.fullmatch(r"[a-z][a-z0-9+-]*", name):
        what = f"'{name}' is no name of a controller"
        raise BadScenario([(what, "cc", "write small letters, digits, + and -")])
    return name


def _parameters(function: Callable[..., object]) -> list[str]:
    """Return the names of a verb's parameters, the controller itself first.

    Raises:
        TypeError: Some cannot be given by position.

    """
    parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            name = getattr(function, "__qualname__", "a verb")
            raise TypeError(f"{name}: '{parameter}' is no argument that a controller is given")
    return [parameter.name for parameter in parameters]
