"""Files in which processes count: sums stay when a process ends, files do not pile up, a full disk stops nobody."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from prometheus_client.multiprocess import MultiProcessCollector

from duocthu_site.shared_counts import bury_dead
from monographs.metric_files import DIRECTORY, host_name
from tests.site.processes import run_program

COUNT = """
import sys
from prometheus_client import Counter, Gauge, Histogram
from monographs.metric_files import LIVE, use_files
use_files()
counted = Counter("seen", "x", ["what"]); took = Histogram("took", "x", buckets=(1, 2))
live = Gauge("alive", "x", multiprocess_mode=LIVE)
counted.labels(sys.argv[1]).inc(int(sys.argv[2])); took.observe(1.5); live.set(1)
"""


def count(directory: Path, what: str, times: int) -> None:
    """A process that counts and ends."""
    result = run_program(["-c", COUNT, what, str(times)], **{DIRECTORY: str(directory)})
    assert result.returncode == 0, result.stderr


def told(directory: Path) -> dict[str, float]:
    collector = MultiProcessCollector(None, str(directory))  # type: ignore[no-untyped-call]
    samples = (sample for metric in collector.collect() for sample in metric.samples)  # type: ignore[no-untyped-call]
    return {f"{sample.name}{','.join(sample.labels.values())}": sample.value for sample in samples}


def test_what_the_dead_counted_is_kept_in_one_file_however_many_they_were(tmp_path: Path) -> None:
    for times in (1, 2, 4):
        count(tmp_path, "a", times)
        count(tmp_path, "b", 8)
        bury_dead(tmp_path)
    assert {path.name for path in tmp_path.glob("*.db")} == {
        f"{kind}_{host_name()}-gone.db" for kind in ("counter", "histogram")
    }
    found = told(tmp_path)
    assert (found["seen_totala"], found["seen_totalb"]) == (7, 24)
    assert (found["took_bucket1.0"], found["took_bucket2.0"], found["took_count"], found["took_sum"]) == (0, 6, 6, 9)
    assert "alive" not in found


def test_nothing_of_another_machine_or_of_the_living_is_touched(tmp_path: Path) -> None:
    count(tmp_path, "a", 1)
    (dead,) = tmp_path.glob("counter_*.db")
    living = tmp_path / f"counter_{host_name()}-1.db"
    elsewhere = tmp_path / "counter_elsewhere-999999.db"
    for path in (living, elsewhere):
        path.write_bytes(dead.read_bytes())
    bury_dead(tmp_path)
    assert living.exists() and elsewhere.exists() and not dead.exists()
    assert told(tmp_path)["seen_totala"] == 3


def test_to_bury_twice_changes_nothing(tmp_path: Path) -> None:
    count(tmp_path, "a", 5)
    bury_dead(tmp_path)
    before = told(tmp_path)
    bury_dead(tmp_path)
    assert told(tmp_path) == before and before["seen_totala"] == 5


def test_a_grave_that_was_half_dug_is_dug_anew(tmp_path: Path) -> None:
    count(tmp_path, "a", 5)
    (tmp_path / f"counter_{host_name()}-gone.new").write_bytes(b"half")
    bury_dead(tmp_path)
    assert told(tmp_path)["seen_totala"] == 5


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_where_no_file_can_be_made_a_process_counts_for_itself() -> None:
    result = run_program(["-c", COUNT, "a", "1"], **{DIRECTORY: "/proc/none"})
    assert result.returncode == 0, result.stderr
    assert "metrics_in_memory" in result.stderr


SHARE = "from duocthu_site.shared_counts import share_counts; share_counts(afresh={})"


@pytest.mark.parametrize(("afresh", "left"), [(True, {}), (False, {"seen_totala": 5.0})])
def test_a_start_of_everything_begins_at_nothing_and_one_of_a_part_does_not(
    tmp_path: Path, afresh: bool, left: dict[str, float]
) -> None:
    count(tmp_path / "metrics", "a", 5)
    result = run_program(["-c", SHARE.format(afresh)], DUOCTHU_DATA_DIR=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert {name: value for name, value in told(tmp_path / "metrics").items() if name == "seen_totala"} == left
