"""Sweeps: the runs of a grid on this machine or on many, into a Parquet data set that grows and resumes."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from westwood import _native
from westwood._progress import Progress, followed
from westwood._values import Value, assignments, at_a_time
from westwood._words import counted
from westwood.controllers import Luggage, fingerprints
from westwood.errors import BadScenario
from westwood.scenario import Scenario

if TYPE_CHECKING:
    import duckdb

__all__ = ["Sweep", "sweep"]

BATCH_S = 0.2
"""The time that a task of an executor should take: a Dask task costs 2 to 4 ms by itself."""

AT_A_TIME = 1000
"""Tasks that an executor is given before the first one is done."""

Part = tuple[int, int]
"""Units of the grid, from the first to before the end."""

Specification = tuple[str, str, str, tuple[str, ...], tuple[tuple[str, str], ...]]
"""An experiment whole: version, name, text, settings, and the files that these name."""


def sweep(
    scenario: Scenario | str | os.PathLike[str],
    grid: Mapping[str, Sequence[Value]] | None = None,
    *,
    seeds: int | Sequence[int] | None = None,
    executor: Any = None,
    batch: int | Literal["auto"] = "auto",
    out: str | os.PathLike[str],
    jobs: int | None = None,
    progress: Progress = False,
) -> Sweep:
    """Run every point of a grid with every seed, and stream the results into a Parquet data set.

    ``out`` gets a folder for each table (``runs``, ``groups``, ``flows``, ``links``; columns as those of
    :class:`westwood.Results`), each with a file for each part of the grid. A sweep that was killed goes on
    when it is called again with the same arguments and version: parts that are there are not repeated, and a
    run is kept as soon as its part is. Controllers in Python are to be the same as well: their code, the
    values of their classes and variables, and the functions that they use, in the same version of Python. A
    run that fails has its reason in the column ``error`` of ``runs``, and stops nothing. The results do not
    depend on the executor, the batch, or how often the sweep was killed.

    Args:
        scenario: A :class:`Scenario`, a file, or the name of a ready scenario.
        grid: Values by path, such as ``{"dumbbell.rate": ["1Mbit/s", "10Mbit/s"], "cc": ["reno", "bbr"]}``;
            the grid is their product, with the scenario's own sweep.
        seeds: How many seeds, or the seeds themselves, one after the other; the scenario's own if absent.
        executor: Where it runs: threads of this process if absent; or a client of Dask's ``distributed``, or
            any ``concurrent.futures.Executor``. Its workers need this package in the same version. Classes of
            controllers go to other processes by value, which needs cloudpickle on both sides.
        batch: Runs of a task of the executor; ``"auto"`` makes tasks of about 0.2 s.
        out: The folder; it is made if need be.
        jobs: Threads, without an executor.
        progress: ``True`` for a bar, or a callable that is given the work done and all work: seconds
            simulated without an executor, packets by estimate with one.

    Returns:
        The sweep, whose tables DuckDB and every other reader of Parquet read.

    Raises:
        BadScenario: A setting is wrong, or ``out`` holds another sweep, which includes one of a controller in
            Python that did something else.
        OSError: The folder cannot be written.
        KeyboardInterrupt: Ctrl-C; parts that are done are kept.

    """
    if batch != "auto" and (not isinstance(batch, int) or batch < 1):
        raise BadScenario([(f"{batch!r} is no number of runs", "batch", 'write 1 or more, or "auto"')])
    if executor is not None and not any(hasattr(executor, name) for name in ("submit", "get_executor")):
        what = f"a value of type {type(executor).__name__} is no executor"
        hint = "give one of concurrent.futures, a client of Dask, or None for threads"
        raise BadScenario([(what, "executor", hint)])
    jobs = at_a_time(jobs)
    if not isinstance(scenario, Scenario):
        scenario = Scenario.load(scenario)
    settings = ([] if grid is None else assignments(grid)) + assignments(_seeds(seeds))
    plan = scenario.plan(settings)
    folder = Path(out)
    specification: Specification = (
        _native.__version__,
        scenario.name,
        str(scenario),
        tuple(settings),
        tuple(plan.files),
    )
    found = Sweep(folder)
    _claim(folder, plan, specification)
    _write_failed(folder, {})
    sizes = plan.unit_sizes()
    left = _gaps(found.parts(), len(sizes))
    if not left:
        return found
    # A few units are done here: they say how long a packet takes.
    speed = _speed(plan, folder, left, sizes) if batch == "auto" else 1.0
    left = _gaps(found.parts(), len(sizes))
    parts = list(_batched(left, sizes, batch, speed))
    with followed(progress) as tell:
        if executor is None:
            plan.run_parts(parts, folder, jobs=jobs, progress=tell)
        else:
            work = (specification, _luggage(executor, specification))
            _distributed(_executor(executor), work, parts, sizes, folder, tell)
    failed = found.failed_parts
    if failed:
        (first_part, why), more = failed[0], len(failed)
        what = f"{more} parts were given up; the first one, {first_part}: {why}"
        warnings.warn(what, RuntimeWarning, stacklevel=2)
    return found


def _seeds(seeds: int | Sequence[int] | None) -> dict[str, Value]:
    if seeds is None:
        return {}
    if hasattr(seeds, "tolist"):
        seeds = seeds.tolist()
    if isinstance(seeds, int):
        return {"seeds": seeds}
    given = list(seeds)
    whole = bool(given) and all(isinstance(seed, int) for seed in given)
    if not whole or given != list(range(given[0], given[0] + len(given))):
        fault = ("seeds follow one another", "seeds", "write range(1, 11), or how many")
        raise BadScenario([fault])
    return {"seed": given[0], "seeds": len(given)}


def _claim(folder: Path, plan: _native.Plan, specification: Specification) -> None:
    """Say in a manifest which sweep the folder holds, or see that it is this one."""
    text = json.dumps(specification, ensure_ascii=False)
    manifest = {
        "schema": "westwood.sweep/1",
        "version": specification[0],
        "name": plan.name,
        "hash": hashlib.sha256(text.encode()).hexdigest(),
        "scenario": specification[2],
        "settings": list(specification[3]),
        "axes": plan.axes,
        "seeds": plan.seeds,
        "points": len(plan.points),
        "runs": sum(runs for runs, _ in plan.unit_sizes()),
    }
    controllers = fingerprints(_words(specification))
    if controllers:
        manifest["python"] = ".".join(map(str, sys.version_info[:2]))
        manifest["controllers"] = controllers
    file = folder / "manifest.json"
    if file.exists():
        held = _held(file)
        what = f"'{folder}' holds another sweep"
        if held.get("hash") == manifest["hash"]:
            difference = _difference(held, manifest)
            if difference is None:
                return
            what += f": {difference}"
        raise BadScenario([(what, "out", "name another folder, or empty it")])
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / ".manifest.json.part"
    draft.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(file)


def _held(file: Path) -> dict[str, Any]:
    """Read the manifest of the sweep that a folder holds."""
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadScenario([(f"'{file}' is damaged: {error}", "out", "name another folder")]) from error
    return held if isinstance(held, dict) else {}


def _difference(held: Mapping[str, Any], manifest: Mapping[str, Any]) -> str | None:
    """Say how controllers in Python differ from those whose results a folder holds; None if they do not."""
    before, now = (of.get("controllers", {}) for of in (held, manifest))
    if before == now:
        return None
    if held.get("python") != manifest.get("python"):
        # Another version compiles the same text to other code.
        return f"its controllers are those of Python {held.get('python')}"
    for name in sorted(before.keys() | now.keys()):
        was, is_ = before.get(name, {}), now.get(name, {})
        changed = sorted(part for part in was.keys() | is_.keys() if was.get(part) != is_.get(part))
        if changed:
            shown = ", ".join(changed[:3]) + (", ..." if len(changed) > 3 else "")
            return f"the controller '{name}' has changed ({shown})"
    return None


def _words(specification: Specification) -> str:
    """Return the text in which the controllers of a sweep are named."""
    _, _, text, settings, _ = specification
    return " ".join((text, *settings))


def _gaps(done: Sequence[Part], units: int) -> list[Part]:
    """Find the units that no part has."""
    gaps, at = [], 0
    for first, end in sorted(done):
        if first > at:
            gaps.append((at, first))
        at = max(at, end)
    if at < units:
        gaps.append((at, units))
    return gaps


def _speed(plan: _native.Plan, folder: Path, gaps: list[Part], sizes: list[tuple[int, int]]) -> float:
    """Do some parts in this process, evenly spaced, for a moment; answer the packets that a second simulates.

    Each part has twice as many units as the one before, and the last one counts: a part costs something
    whatever it has, and the first one warms up.
    """
    samples = 9
    units = [unit for gap in gaps for unit in range(*gap)]
    ends = {end for _, end in gaps}
    speed, last, count = 1.0, -1, 1
    for sample in range(samples):
        first = units[sample * len(units) // samples]
        if first < last:
            continue
        end = min(first + count, *(end for end in ends if end > first))
        begin = time.process_time()
        files = plan.run_part(first, end)
        took = time.process_time() - begin
        _native.keep_part(folder, (first, end), files)
        speed = max(sum(packets for _, packets in sizes[first:end]), 1) / max(took, 1e-6)
        last, count = end, 2 * count
        if took > BATCH_S / 2:
            break
    return speed


def _batched(
    gaps: list[Part], sizes: list[tuple[int, int]], batch: int | Literal["auto"], speed: float
) -> Iterator[Part]:
    """Cut gaps into parts of so many runs, or of about :data:`BATCH_S`."""
    for first, end in gaps:
        begin, load = first, 0.0
        for unit in range(first, end):
            runs, packets = sizes[unit]
            load += packets / (speed * BATCH_S) if batch == "auto" else runs / batch
            if load >= 1:
                yield begin, unit + 1
                begin, load = unit + 1, 0.0
        if begin < end:
            yield begin, end


def _executor(executor: Any) -> Executor:
    """Take a Dask client for the executor that it has."""
    made = executor.get_executor() if hasattr(executor, "get_executor") else executor
    return cast("Executor", made)


def _luggage(executor: Any, specification: Specification) -> Luggage:
    """Pack the controllers in Python that a sweep names; threads have them."""
    return Luggage.of("" if isinstance(executor, ThreadPoolExecutor) else _words(specification))


@lru_cache(maxsize=2)
def _plan(specification: Specification, luggage: Luggage) -> _native.Plan:
    version, name, text, settings, files = specification
    if version != _native.__version__:
        raise RuntimeError(f"this worker has westwood {_native.__version__}, the sweep {version}")
    luggage.unpack()
    return _native.Plan.of_text(name, text, list(settings), files=list(files))


def _work(work: tuple[Specification, Luggage], part: Part) -> list[tuple[str, bytes]]:
    """Do a part in a worker: its tables as Parquet."""
    return _plan(*work).run_part(*part)


def _distributed(
    executor: Executor,
    work: tuple[Specification, Luggage],
    parts: list[Part],
    sizes: list[tuple[int, int]],
    folder: Path,
    tell: Any,
) -> None:
    """Do parts by an executor, and keep each as soon as it is done."""
    weights = {part: sum(packets for _, packets in sizes[slice(*part)]) for part in parts}
    waiting: Iterator[Part] = iter(parts)
    tried: set[Part] = set()
    running: dict[Future[list[tuple[str, bytes]]], Part] = {}
    done_packets, failed = 0, {}
    try:
        while True:
            for part in waiting:
                running[executor.submit(_work, work, part)] = part
                if len(running) >= AT_A_TIME:
                    break
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                part = running.pop(future)
                error = future.exception()
                if error is None:
                    _native.keep_part(folder, part, future.result())
                elif part not in tried and not isinstance(error, BrokenExecutor):
                    # Once more: an executor may lose a result, as Dask's does when a worker dies after it has
                    # told of one, and whoever made it is not to blame.
                    tried.add(part)
                    waiting = chain([part], waiting)
                    continue
                else:
                    failed[part] = f"{type(error).__name__}: {error}"
                done_packets += weights[part]
                if tell is not None:
                    tell(done_packets, sum(weights.values()))
    finally:
        for future in running:
            future.cancel()
        _write_failed(folder, failed)


def _write_failed(folder: Path, failed: Mapping[Part, str]) -> None:
    """Record the parts whose workers gave them up; the next call tries them again."""
    file = folder / "failed.json"
    if failed:
        rows = [{"units": part, "error": why} for part, why in failed.items()]
        file.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    else:
        file.unlink(missing_ok=True)


class Sweep:
    """The data set of a sweep, in a folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    @property
    def manifest(self) -> dict[str, Any]:
        """The sweep that the folder holds: schema ``westwood.sweep/1``."""
        text = (self.folder / "manifest.json").read_text(encoding="utf-8")
        return cast("dict[str, Any]", json.loads(text))

    def parts(self) -> list[Part]:
        """List the parts that are done, as units of the grid."""
        files = (self.folder / "runs").glob("[0-9]*.parquet")
        return sorted(cast("Part", tuple(map(int, file.stem.split("-")))) for file in files)

    @property
    def failed_parts(self) -> list[tuple[Part, str]]:
        """The parts that no worker could do, with the reason: those of workers that died, say."""
        file = self.folder / "failed.json"
        rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        return [((row["units"][0], row["units"][1]), row["error"]) for row in rows]

    def files(self, table: str = "runs") -> str:
        """Return the pattern of a table's files, as DuckDB, polars and pyarrow take it."""
        return str(self.folder / table / "*.parquet")

    def query(self, sql: str) -> duckdb.DuckDBPyRelation:
        """Ask DuckDB; ``runs``, ``groups``, ``flows`` and ``links`` are views of the tables.

        Raises:
            ImportError: DuckDB is not installed.

        """
        import duckdb

        connection = duckdb.connect()
        for table in ("runs", "groups", "flows", "links"):
            place = self.files(table).replace("'", "''")
            connection.execute(f"create view {table} as select * from read_parquet('{place}')")
        return connection.sql(sql)

    def __repr__(self) -> str:
        """Name the folder and its size."""
        return f"<westwood.Sweep {self.folder}: {counted(len(self.parts()), 'part')}>"
