"""Everything that serves, under one process: the database, the book, the web server and the worker.

A plain module and not a management command: it starts and watches processes, among them the very server that
commands would connect to, and no app may import the site.
"""

from __future__ import annotations

import argparse
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from duocthu_site.cluster import EmbeddedCluster, EmbeddedServerError
from duocthu_site.embedded import hold_server, release_all
from duocthu_site.parent_death import SUPERVISOR_PID
from duocthu_site.web import LOOPBACK

SAMPLE = Path("ingest/sample/duoc-thu-mau.pdf")
READY_PATH = "/static/staticfiles.json"
WATCH_SECONDS = 0.5
READY_SECONDS = 60.0
STOP_SECONDS = 12.0
STEADY_SECONDS = 60.0
LONGEST_BACKOFF = 30.0
DATABASE_PAUSE_SECONDS = 5.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WEB = (sys.executable, "-m", "duocthu_site.web")
WORKER = (sys.executable, "-m", "duocthu_site.worker")
TURN_WORKER = (*WORKER, "turns")


class StartError(RuntimeError):
    """What keeps the program from starting, as a sentence."""


@dataclass(slots=True)
class Child:
    """One process that is kept alive: started again after it ends, later each time while it keeps failing."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_after: float = 0.0
    backoff: float = 1.0

    def start(self) -> None:
        """Start it in a session of its own, so that Ctrl-C reaches the supervisor alone."""
        environment = os.environ | {SUPERVISOR_PID: str(os.getpid())}
        self.process = subprocess.Popen(self.command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
        self.started_at = time.monotonic()

    @property
    def ended(self) -> bool:
        """Whether it was started and is gone."""
        return self.process is not None and self.process.poll() is not None

    def keep_alive(self, now: float) -> None:
        """Start it again where it ended and its pause is over."""
        if self.ended:
            self._plan_restart(now)
        if self.process is None and now >= self.start_after:
            self.start()

    def _plan_restart(self, now: float) -> None:
        assert self.process is not None
        self.backoff = 1.0 if now - self.started_at > STEADY_SECONDS else min(self.backoff * 2, LONGEST_BACKOFF)
        self.start_after = now + self.backoff
        say(f"{self.name} đã dừng (mã {self.process.returncode}); chạy lại sau {self.backoff:.0f} giây.")
        self.process = None

    def ask_to_stop(self) -> None:
        """Tell it to finish what it is doing."""
        if self.process is not None and not self.ended:
            self.process.terminate()

    def make_stop(self, deadline: float) -> None:
        """Wait until the deadline, then end it and whatever it started."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@dataclass(slots=True)
class Supervisor:
    """The children and the wish to stop."""

    children: list[Child]
    stopping: threading.Event = field(default_factory=threading.Event)

    def watch(self, look_after: Callable[[], None]) -> None:
        """Keep the children alive, and whatever look_after cares for, until asked to stop."""
        while not self.stopping.wait(WATCH_SECONDS):
            look_after()
            for child in self.children:
                child.keep_alive(time.monotonic())

    def stop(self) -> None:
        """End every child; none is left when this returns."""
        for child in self.children:
            child.ask_to_stop()
        deadline = time.monotonic() + STOP_SECONDS
        for child in self.children:
            child.make_stop(deadline)


@dataclass(slots=True)
class DatabaseCare:
    """Brings the embedded server back whenever it is gone. One that cannot run now, for want of room say, is told of
    once and tried again after a pause: the program goes on as soon as there is room."""

    cluster: EmbeddedCluster | None
    told: str = ""
    try_after: float = 0.0

    def __call__(self) -> None:
        """Look after it once."""
        if time.monotonic() < self.try_after:
            return
        try:
            hold_server(self.cluster)
            self.told = ""
        except EmbeddedServerError as error:
            self.try_after = time.monotonic() + DATABASE_PAUSE_SECONDS
            if str(error) != self.told:
                say(str(error))
            self.told = str(error)


def say(sentence: str) -> None:
    """A line for the person at the terminal."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def reserve_port(port: int) -> socket.socket:
    """Make sure nobody listens there, and keep it so while this process lives.

    The web server shares its port among its workers; a second server would silently join them. A socket that is
    bound and never listens gets no connections, but makes the second start's check fail.
    """
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((LOOPBACK, port))
        reservation = socket.socket()
        reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reservation.bind((LOOPBACK, port))
    except OSError as error:
        raise StartError(
            f"Cổng {port} đang được chương trình khác dùng ({error.strerror}): hãy dừng chương trình đó hoặc chạy"
            f" với PORT khác. / Port {port} is taken: stop what uses it, or run with another PORT."
        ) from error
    return reservation


def prepare(pdf: Path | None) -> None:
    """Bring database, static files and book to where the children can start."""
    from django.conf import settings
    from django.core.management import call_command

    from duocthu_site.static_files import collect_when_changed

    hold_server(settings.EMBEDDED_CLUSTER)
    call_command("migrate", interactive=False, verbosity=0)
    collect_when_changed()
    if pdf is not None:
        call_command("ingest_pdf", str(pdf))
    elif not has_published_edition():
        say("Chưa có ấn bản nào: đang nạp dược thư mẫu…")
        call_command("ingest_pdf", str(settings.BASE_DIR / SAMPLE))
    # Whatever an earlier stop left of the search index is finished in the background.
    call_command("index_edition", "--queue")


def has_published_edition() -> bool:
    """Whether there is a book to serve."""
    from monographs.models import Edition, EditionState

    return Edition.objects.filter(state=EditionState.PUBLISHED).exists()


def wait_until_served(web: Child, port: int, stopping: threading.Event) -> None:
    """Return once the web server answers; raises where it ends or stays silent."""
    deadline = time.monotonic() + READY_SECONDS
    while not stopping.wait(0.05):
        if answers(port):
            return
        if web.ended or time.monotonic() > deadline:
            raise StartError("Máy chủ web không khởi động được; xem thông báo ở trên. / The web server did not start.")


def answers(port: int) -> bool:
    """Whether an HTTP server gives any answer at all there."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=10)
    try:
        connection.request("HEAD", READY_PATH)
        connection.getresponse()
    except OSError:
        return False
    finally:
        connection.close()
    return True


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m duocthu_site.supervisor", description="Chạy Dược thư trên máy này."
    )
    parser.add_argument("--pdf", type=Path, help="tệp PDF của dược thư cần nạp trước khi phục vụ")
    return parser.parse_args(arguments)


def serve(pdf: Path | None) -> None:
    """Start everything, tell the address, and stay until asked to stop."""
    import django
    from django.conf import settings

    from duocthu_site.shared_counts import share_counts

    reservation = reserve_port(settings.PORT)
    share_counts(afresh=True)
    django.setup()
    prepare(pdf)
    web, worker = Child("Máy chủ web", WEB), Child("Tiến trình nền", WORKER)
    supervisor = Supervisor([web, worker, *turn_workers()])
    for number in STOP_SIGNALS:
        signal.signal(number, lambda *_: supervisor.stopping.set())
    try:
        for child in supervisor.children:
            child.start()
        wait_until_served(web, settings.PORT, supervisor.stopping)
        say(f"Dược thư: http://{LOOPBACK}:{settings.PORT}/ (Ctrl-C để dừng)")
        supervisor.watch(DatabaseCare(settings.EMBEDDED_CLUSTER))
    finally:
        say("Đang dừng…")
        supervisor.stop()
        reservation.close()


def turn_workers() -> list[Child]:
    """A worker for questions alone where a model takes part in answering them; without one the web answers."""
    from django.conf import settings

    asked = {settings.ANSWER_PROVIDER, settings.UNDERSTANDING_PROVIDER, settings.SUMMARY_PROVIDER}
    return [] if asked <= {"disabled", "rules"} else [Child("Tiến trình trả lời", TURN_WORKER)]


def interrupt(*_: object) -> None:
    """Any stop signal during preparation counts as Ctrl-C."""
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until stopped; every foreseeable trouble is a sentence and exit status 1."""
    pdf = read_arguments(arguments).pdf
    for number in STOP_SIGNALS:
        signal.signal(number, interrupt)
    try:
        serve(pdf.absolute() if pdf else None)
    except (StartError, EmbeddedServerError, ImproperlyConfigured, CommandError) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        release_all()
    say("Đã dừng.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
