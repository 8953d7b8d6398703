"""Results: tables, documents, the judgement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import westwood


def test_runs_have_a_row_for_each_controller_and_seed(small: westwood.Results) -> None:
    assert small.runs["cc"] == ["reno", "reno", "bbr", "bbr"]
    assert small.runs["seed"] == [1, 2, 1, 2]
    assert all(0 < rate < 5e6 for rate in small.runs["goodput_bps"])


def test_the_document_agrees_with_the_table(small: westwood.Results) -> None:
    assert small.report["schema"] == "westwood.compare/1"
    assert [run["goodput_bps"] for run in small.report["runs"]] == small.runs["goodput_bps"]


def test_the_same_settings_give_the_same_results() -> None:
    def goodput(jobs: int) -> list[float]:
        r = westwood.compare(cc="reno", rate="2Mbit/s", time="5s", seeds=4, jobs=jobs)
        return list(r.runs["goodput_bps"])

    assert goodput(1) == goodput(3)


def test_pyarrow_reads_a_table_with_its_types_and_nulls(small: westwood.Results) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(small.runs)
    assert table.num_rows == 4
    assert table.schema.field("goodput_bps").type == pa.float64()
    assert table.schema.field("seed").type == pa.uint64()
    assert table["error"].null_count == 4
    assert table["cc"].to_pylist() == small.runs["cc"]
    # The capsule can be taken again.
    assert pa.table(small.runs).equals(table)


def test_the_difference_of_two_counts_may_be_below_zero(small: westwood.Results, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    westwood.sweep(westwood.Scenario(small.scenario), out=tmp_path)
    for runs in (small.runs.to_pandas(), pd.read_parquet(tmp_path / "runs")):
        by_cc = runs.pivot(index="seed", columns="cc", values="data_packets")
        differences = (by_cc["reno"] - by_cc["bbr"]).tolist()
        exact = [int(a) - int(b) for a, b in zip(by_cc["reno"], by_cc["bbr"], strict=True)]
        assert differences == exact
        assert min(exact) < 0


def test_pandas_polars_and_duckdb_read_the_same(small: westwood.Results) -> None:
    pd, pl, duckdb = map(pytest.importorskip, ("pandas", "polars", "duckdb"))
    expected = small.flows["goodput_bps"]
    assert isinstance(small.flows.to_pandas(), pd.DataFrame)
    assert small.flows.to_pandas()["goodput_bps"].tolist() == expected
    assert pl.DataFrame(small.flows)["goodput_bps"].to_list() == expected
    flows = small.flows.to_pyarrow()
    assert duckdb.sql("select sum(goodput_bps) from flows").fetchall()[0][0] == pytest.approx(sum(expected))
    assert len(flows) == 4


def test_a_time_series_tells_point_seed_and_time(small: westwood.Results) -> None:
    windows = small.series("windows", seeds="all")
    assert windows is not None
    assert windows.columns[:4] == ["point", "name", "seed", "time_s"]
    assert set(windows["seed"]) == {1, 2}
    assert set(windows["name"]) == {"reno", "bbr"}
    assert small.windows is not None
    assert set(small.windows["seed"]) == {1}
    assert max(windows["time_s"]) <= 5.0


def test_one_of_a_kind_is_not_counted_as_several() -> None:
    r = westwood.compare(cc="reno", time="2s", seeds=1)
    assert repr(r).endswith(": 1 point x 1 seed>")
    assert repr(r.runs).startswith("<westwood.Table runs: 1 row of point, ")


def test_an_unknown_column_and_an_unknown_series_are_refused(small: westwood.Results) -> None:
    with pytest.raises(KeyError):
        small.runs["goodput"]
    with pytest.raises(westwood.BadScenario, match="unknown series"):
        small.series("window")  # type: ignore[arg-type]
    with pytest.raises(westwood.BadScenario, match='"first" or "all"') as caught:
        small.series("windows", seeds="every")  # type: ignore[arg-type]
    assert caught.value.place == "seeds"


def test_a_notebook_shows_the_report_in_a_frame(small: westwood.Results) -> None:
    frame = small._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert "&lt;svg" in frame
    assert "<table>" in small.runs._repr_html_()


def test_the_answer_in_words_names_the_leader(small: westwood.Results) -> None:
    assert "bbr" in str(small)
    assert "2 points x 2 seeds" in repr(small)
    assert json.loads(small.json) == small.report


def test_a_run_that_fails_is_named_and_stops_nothing(tmp_path: Path) -> None:
    file = tmp_path / "f.toml"
    file.write_text(
        'cc = ["mine", "reno"]\ntime = "5 s"\ndumbbell = { rate = "5 Mbit/s" }\n'
        'controllers.mine.reduce = "cwnd / 0"\n'
    )
    for seeds, count in (1, "1 run"), (2, "2 runs"):
        with pytest.warns(RuntimeWarning, match=f"^{count} failed, the first one: mine with seed 1: "):
            r = westwood.run(file, {"seeds": seeds})
        assert [seed for _, seed, _ in r.failed] == list(range(1, seeds + 1))
        assert set(r.runs["cc"]) == {"mine", "reno"}


def test_the_cost_of_an_ack_is_measured_where_it_is_asked_for() -> None:
    def compared(**more: object) -> westwood.Results:
        return westwood.compare(cc=["reno", "bbr"], rate="5Mbit/s", time="5s", seeds=2, **more)  # type: ignore[arg-type]

    without, measured = compared(), compared(ack_cost=True)
    assert not {"ack_cost_ns", "ack_cost_cycles"} & set(without.runs.columns)
    reno, again, bbr, _ = measured.runs["ack_cost_ns"]
    assert reno == again > 0
    assert bbr > 0
    cycles = measured.runs["ack_cost_cycles"]
    # A processor has a counter of cycles or none.
    assert cycles == [None] * 4 or (cycles[0] == cycles[1] > 0 and cycles[2] > 0)
    assert measured.runs["goodput_bps"] == without.runs["goodput_bps"]
    assert "ACK cost" in measured.html()
