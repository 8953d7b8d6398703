"""Compares the processor time of a sweep on two Dask workers with that of the command for the same grid.

Usage: WESTWOOD_COMMAND=westwood python bench_sweep.py [POINTS]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dask
from distributed import Client, LocalCluster

import westwood


def grid(points: int) -> dict[str, list[str]]:
    """Return so many points of 60 s: rates from 1 to 10 Mbit/s, ten losses, round trips for the rest."""
    rates = [f"{n}Mbit/s" for n in range(1, 11)]
    losses = [f"{n / 10}%" for n in range(1, 11)]
    rtts = [f"{20 + n}ms" for n in range(points // 100)]
    return {"dumbbell.rate": rates, "dumbbell.loss": losses, "dumbbell.rtt": rtts}


def main() -> None:
    """Run both and print the ratio."""
    # Dask samples the stacks of its workers a hundred times a second: that is no cost of the sweep.
    dask.config.set({"distributed.worker.profile.enabled": False})
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    scenario = westwood.Scenario.comparison(cc="cubic", time="60s", seeds=1)
    chosen = grid(points)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        scenario.save(place / "bench.toml")
        command = [os.environ["WESTWOOD_COMMAND"], "run", "bench.toml", "--quiet", "--json", "out.json"]
        for path, values in chosen.items():
            command += ["--set", f"{path}={','.join(values)}"]
        begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, cwd=place)
        wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        ours = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"command: {ours:.1f} s of processor time, {wall:.1f} s of wall time")
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            client.run(__import__, "westwood")
            started = sum(client.run(time.process_time).values())
            begin, here = time.perf_counter(), time.process_time()
            found = westwood.sweep(scenario, chosen, executor=client, out=place / "out")
            wall = time.perf_counter() - begin
            workers = sum(client.run(time.process_time).values()) - started
            driver = time.process_time() - here
        print(f"two workers: {workers:.1f} s of processor time, {wall:.1f} s of wall time")
        print(f"scheduler and driver: {driver:.1f} s; {len(found.parts())} parts")
        print(f"workers / command: {workers / ours:.3f}")


if __name__ == "__main__":
    main()
