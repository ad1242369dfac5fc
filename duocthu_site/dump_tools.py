"""PostgreSQL's own programs for dumping and loading a database: which ones, how they connect, what they said."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from duocthu_site.cluster import EmbeddedServerError
from duocthu_site.server_start import binary_dir, server_environment

_PROGRAMS = ("pg_dump", "pg_restore", "psql")


class ToolFailed(RuntimeError):
    """One of the programs failed; the message is its first complaint, which names no row."""


@dataclass(frozen=True, slots=True)
class DumpTools:
    """The programs in one directory, and the database they are for.

    address: a connection string without the password, which goes through the environment: arguments can be seen.
    """

    directory: Path
    address: str
    password: str

    def dump(self, target: Path, *, snapshot: str) -> None:
        """Writes the database as that snapshot shows it. Raises ToolFailed."""
        options = ("--format=custom", "--no-owner", "--no-privileges", "--no-comments", f"--snapshot={snapshot}")
        self._run([self._program("pg_dump"), *options, f"--file={target}", f"--dbname={self.address}"])

    def load(self, source: Path, *, check: Iterable[str]) -> None:
        """Loads a dump and runs the statements of check, all in one transaction. Raises ToolFailed: nothing is there.

        Whichever program dies, the rest finds the end of the script, fails the check and leaves nothing.
        """
        unpack = [self._program("pg_restore"), "--no-owner", "--no-privileges", "--no-comments", "--exit-on-error"]
        load = [self._program("psql"), "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
        load += [f"--dbname={self.address}", "--file=-", *(f"--command={statement}" for statement in check)]
        # What it has to complain about, psql's check finds too.
        script = subprocess.Popen([*unpack, "--file=-", str(source)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert script.stdout is not None
        try:
            self._run(load, stdin=script.stdout.fileno())
        finally:
            script.stdout.close()
            script.wait()

    def _run(self, command: Sequence[str], *, stdin: int = subprocess.DEVNULL) -> None:
        environment = server_environment() | ({"PGPASSWORD": self.password} if self.password else {})
        done = subprocess.run(
            command, env=environment, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
        if done.returncode:
            raise ToolFailed(_complaint(done.stderr.decode("utf-8", "replace"), done.returncode))

    def _program(self, name: str) -> str:
        return str(self.directory / name)


def current_tools(given: Path | None = None) -> DumpTools:
    """The programs for the database of the settings; given: the directory to take them from.

    A dump is read by programs of the server's own major version only. Raises ToolFailed where there are none.
    """
    connection.ensure_connection()
    assert connection.connection is not None
    info = connection.connection.info
    major = info.server_version // 10_000
    for directory in [given] if given else _places(major):
        if all((directory / name).exists() for name in _PROGRAMS) and _major_of(directory) == major:
            return DumpTools(directory, info.dsn, info.password)
    raise ToolFailed(
        f"không có pg_dump, pg_restore và psql của PostgreSQL {major}: hãy cài gói postgresql-client-{major} "
        "hoặc chỉ thư mục chứa chúng bằng --pg-bin"
    )


def _places(major: int) -> Iterator[Path]:
    with suppress(EmbeddedServerError):
        yield binary_dir()
    yield Path(f"/usr/lib/postgresql/{major}/bin")
    if found := shutil.which("pg_dump"):
        yield Path(found).parent


def _major_of(directory: Path) -> int:
    """0 where it cannot be told."""
    command = [str(directory / "pg_dump"), "--version"]
    words = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    number = words[2].partition(".")[0] if len(words) > 2 else ""
    return int(number) if number.isdigit() else 0


def _complaint(said: str, code: int) -> str:
    """The first line that tells of an error. The lines after it may quote rows, which hold what people asked."""
    lines = [line for line in said.splitlines() if "error:" in line.lower()]
    return lines[0] if lines else f"mã {code}"
