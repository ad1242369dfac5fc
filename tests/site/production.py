"""The production path on one machine: Redis, several web processes, workers; PostgreSQL and Bedrock from outside."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.site.processes import Program, processes_of, run_program, start_program
from tests.site.visitor import THROUGH_TLS, Visitor
from tests.site.waiting import wait_until

SETTINGS = "duocthu_site.settings.production"
START_SECONDS = 90.0
STOP_SECONDS = 40.0


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether somebody takes connections there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass(slots=True)
class Redis:
    """A real redis-server that keeps nothing on disk: what it held is lost when it ends."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @staticmethod
    def program() -> str:
        """Where it is installed; "" where it is not."""
        return shutil.which("redis-server") or shutil.which("valkey-server") or ""

    @property
    def url(self) -> str:
        """For CELERY_BROKER_URL."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Returns once it takes connections."""
        command = [self.program(), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        with (self.folder / "redis.log").open("ab") as log:
            self.process = subprocess.Popen([*command, "--dir", str(self.folder)], stdout=log, stderr=log)
        wait_until(lambda: listens(self.port))

    def stop(self) -> None:
        """Everything in it is gone."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@dataclass(slots=True)
class Production:
    """Processes with the settings of production; each says what it has to say in a log of its own in the folder.

    variables: beside those that say where things are.
    """

    folder: Path
    database: str
    broker: str
    variables: Mapping[str, str]
    running: list[Program] = field(default_factory=list)

    @property
    def data_dir(self) -> Path:
        """What the processes share on disk; their command lines or environments name it."""
        return self.folder / "data"

    @property
    def environment(self) -> dict[str, str]:
        """What each process is told."""
        return {
            "DJANGO_SETTINGS_MODULE": SETTINGS,
            "DUOCTHU_DATA_DIR": str(self.data_dir),
            "STATIC_ROOT": str(self.folder / "static"),
            "DATABASE_URL": self.database,
            "CELERY_BROKER_URL": self.broker,
            "SECRET_KEY": "only-for-tests-" + "y" * 40,
            "ALLOWED_HOSTS": "127.0.0.1",
            **self.variables,
        }

    def manage(self, *arguments: str) -> str:
        """A management command; what it printed."""
        done = run_program(["manage.py", *arguments], **self.environment)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def start_web(self) -> tuple[Program, int]:
        """One more web server, with its processes, and its port."""
        port = free_port()
        web = self._start("duocthu_site.web", PORT=str(port))
        wait_until(lambda: listens(port) or web.process.poll() is not None, timeout=START_SECONDS)
        assert web.process.poll() is None, web.said
        return web, port

    def start_worker(self, *kind: str) -> Program:
        """One more worker, which takes tasks once it has connected."""
        return self._start("duocthu_site.worker", *kind)

    def visit(self, port: int) -> Visitor:
        """A visitor who comes through a proxy that ends TLS."""
        return Visitor(port, dict(THROUGH_TLS))

    def kill(self, program: Program) -> None:
        """The process alone, with -9, as the kernel does when memory runs out."""
        os.kill(program.process.pid, signal.SIGKILL)
        program.process.wait()

    def stop(self) -> None:
        """End all of it."""
        for program in self.running:
            program.kill()
        wait_until(lambda: not processes_of(self.data_dir), timeout=STOP_SECONDS, message="processes are left")

    def _start(self, *module: str, **variables: str) -> Program:
        log = self.folder / f"{module[0]}-{len(self.running)}.log"
        program = start_program(["-m", *module], log, **self.environment, **variables)
        self.running.append(program)
        return program
