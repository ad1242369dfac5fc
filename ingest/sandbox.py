"""The whole parse in a child process with limits: a hostile PDF can end the child, never the worker."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from ingest.domain import ParsedBook
from ingest.open_pdf import PdfRefused, Refusal
from ingest.parent_death import die_with_parent

ROOT = Path(__file__).resolve().parent.parent
HEADER = struct.Struct(">Q")
# What a frame from the child may hold; anything else is not unpickled.
ALLOWED_MODULES = frozenset({"ingest.domain", "monographs.domain"})
OnProgress = Callable[[str, int, int], None]
OnWait = Callable[[], None]
WAIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """memory_bytes and cpu_seconds hold for each process, wall_seconds for all, stall_seconds between progresses.

    frame_bytes: what the child may hand over at once (a book of 1,600 pages is 26 MB); it becomes memory of the caller.
    """

    memory_bytes: int = 2 * 1024**3
    cpu_seconds: int = 1_800
    wall_seconds: float = 3_600.0
    stall_seconds: float = 180.0
    frame_bytes: int = 512 * 1024**2


DEFAULT_LIMITS = Limits()


def parse_in_child(
    path: Path | str,
    *,
    workers: int | None = None,
    cross_check: bool = True,
    on_progress: OnProgress | None = None,
    on_wait: OnWait | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ParsedBook:
    """Like pipeline.parse_book, in a process of its own. Raises PdfRefused, also for what the limits stop.

    on_wait is called every second in which the child says nothing. Exceptions raised by it or by on_progress end the
    child and pass through: that is how a run is cancelled.
    """
    arguments = pickle.dumps((str(Path(path).resolve()), workers, cross_check, limits))
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [sys.executable, "-m", "ingest.sandbox"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            start_new_session=True,
        )
        try:
            assert child.stdin is not None and child.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(arguments)
                child.stdin.close()
            for name, value in _frames(child.stdout, limits, on_wait or _wait_quietly):
                match name:
                    case "progress":
                        if on_progress is not None:
                            on_progress(*value)
                    case "refused":
                        raise PdfRefused(Refusal(value[0]), value[1])
                    case "book":
                        return value  # type: ignore[no-any-return]
            raise _how_it_ended(child.wait(), errors)
        finally:
            _kill(child)


def _wait_quietly() -> None:
    """Where nobody asked to be called."""


def _frames(stream: IO[bytes], limits: Limits, on_wait: OnWait) -> Iterator[tuple[str, Any]]:
    """(name, value) pairs from the child until it closes. Raises PdfRefused when it takes too long."""
    deadline = time.monotonic() + limits.wall_seconds
    while True:
        header = _read(stream, HEADER.size, min(deadline, time.monotonic() + limits.stall_seconds), on_wait)
        if header is None:
            return
        (size,) = HEADER.unpack(header)
        if size > limits.frame_bytes:
            raise PdfRefused(Refusal.OUT_OF_MEMORY, f"a book of {size} bytes")
        body = _read(stream, size, deadline, on_wait)
        if body is None:
            return
        yield _unpacked(body)


def _read(stream: IO[bytes], size: int, deadline: float, on_wait: OnWait) -> bytes | None:
    """Exactly so many bytes, or None where the child has closed."""
    parts: list[bytes] = []
    while size > 0:
        left = deadline - time.monotonic()
        if left <= 0:
            raise PdfRefused(Refusal.TOO_SLOW, "no progress in time")
        ready, _, _ = select.select([stream], [], [], min(left, WAIT_SECONDS))
        if not ready:
            on_wait()
            continue
        part = os.read(stream.fileno(), min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class _Frame(pickle.Unpickler):
    """Unpickles the book's own types only: the child has handled hostile input."""

    def find_class(self, module: str, name: str) -> Any:
        """Classes that these modules define; a name with a dot would lead from them to anything."""
        if module in ALLOWED_MODULES and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name}")


def _unpacked(body: bytes) -> tuple[str, Any]:
    try:
        name, value = _Frame(BytesIO(body)).load()
    except Exception as error:  # a child that was taken over may send anything
        raise PdfRefused(Refusal.CRASHED, f"unreadable frame: {type(error).__name__}: {error}"[:200]) from error
    return name, value


def _how_it_ended(code: int, errors: IO[bytes]) -> PdfRefused:
    errors.seek(0)
    detail = f"exit {code}: {errors.read()[-500:].decode('utf-8', 'replace')}"
    if code == -signal.SIGXCPU:
        return PdfRefused(Refusal.TOO_SLOW, detail)
    if "MemoryError" in detail:
        return PdfRefused(Refusal.OUT_OF_MEMORY, detail)
    return PdfRefused(Refusal.CRASHED, detail)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """The child and its page processes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def set_limits(limits: Limits) -> None:
    """Memory, processor time and core dumps of this process and those it starts."""
    for kind, value in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def main() -> None:
    """The child: read the arguments, parse, write frames."""
    die_with_parent()
    path, workers, cross_check, limits = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by parse_in_child
    set_limits(limits)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def send(name: str, value: object) -> None:
        body = pickle.dumps((name, value), pickle.HIGHEST_PROTOCOL)
        out.write(HEADER.pack(len(body)) + body)
        out.flush()

    from ingest.pipeline import parse_book  # noqa: PLC0415 - PDFium is loaded only once the limits hold

    def tell(stage: str, done: int, total: int) -> None:
        send("progress", (stage, done, total))

    try:
        send("book", parse_book(path, workers=workers, cross_check=cross_check, on_progress=tell))
    except PdfRefused as refused:
        send("refused", (refused.refusal.value, refused.detail))
    except MemoryError as error:
        send("refused", (Refusal.OUT_OF_MEMORY.value, str(error)))


if __name__ == "__main__":
    main()
