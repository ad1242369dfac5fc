"""Every hostile and damaged PDF through the real run: python bench/hostile.py [CLASS…].

An embedded database of its own serves the sample; each file is asked to be ingested and run to its end in the parser's
child, with short limits. One row a class: how its files ended, seconds and MB at most. The exit status is 1 where a
file ended without a typed reason, broke a limit, left a process or a file, or changed what is served.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from monographs.models import Edition
    from tests.ingest.hostile_runs import Ended

SAMPLE = ROOT / "ingest" / "sample" / "duoc-thu-mau.pdf"


def main(arguments: list[str]) -> int:
    """Sets up a database, then runs all files, or those of some classes."""
    with tempfile.TemporaryDirectory(prefix="duocthu-hostile-") as folder:
        os.environ["DUOCTHU_DATA_DIR"] = f"{folder}/data"
        os.environ["DJANGO_SETTINGS_MODULE"] = "duocthu_site.settings.embedded"
        import django  # noqa: PLC0415

        django.setup()
        from django.conf import settings  # noqa: PLC0415
        from django.core.management import call_command  # noqa: PLC0415

        from duocthu_site.embedded import hold_server, release_all  # noqa: PLC0415

        hold_server(settings.EMBEDDED_CLUSTER)
        try:
            call_command("migrate", interactive=False, verbosity=0)
            return _run_all(_publish(), Path(folder), arguments)
        finally:
            release_all()


def _publish() -> Edition:
    from ingest.runs import execute_run, request_run  # noqa: PLC0415
    from monographs.corpus import current_edition  # noqa: PLC0415

    requested = request_run(SAMPLE)
    assert requested.run is not None
    execute_run(requested.run.pk)
    edition = current_edition()
    assert edition is not None
    return edition


def _run_all(served: Edition, folder: Path, wanted: list[str]) -> int:
    from tests.ingest.hostile_runs import answers, contained, every_file, ingest, resident_megabytes  # noqa: PLC0415

    scratch = folder / "tmp"
    scratch.mkdir()
    files = [file for file in every_file() if not wanted or file.harm in wanted]
    started, before, wrong = time.monotonic(), resident_megabytes(), 0
    print(f"{'class':24} {'files':>5} {'s':>6} {'longest':>7} {'MB':>5}  outcomes")
    with contained(scratch):
        for harm in dict.fromkeys(file.harm for file in files):
            ended = [ingest(file, served, scratch) for file in files if file.harm is harm]
            _print(harm, ended)
            wrong += sum(bool(one.troubles) for one in ended)
            if not answers(served):
                print("    WRONG no answer from the edition served")
                wrong += 1
    grown = resident_megabytes() - before
    print(
        f"{len(files)} files in {time.monotonic() - started:.0f} s, {wrong} wrong; this process grew by {grown:.0f} MB"
    )
    return int(wrong > 0)


def _print(harm: str, ended: list[Ended]) -> None:
    outcomes = ", ".join(f"{name} {count}" for name, count in Counter(one.outcome for one in ended).most_common())
    seconds, most = [one.seconds for one in ended], max(one.megabytes for one in ended)
    print(f"{harm:24} {len(ended):5} {sum(seconds):6.0f} {max(seconds):7.1f} {most:5.0f}  {outcomes}", flush=True)
    for one in ended:
        for trouble in one.troubles:
            print(f"    WRONG {one.hostile.name}: {trouble}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
