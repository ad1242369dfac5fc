"""The embedded PostgreSQL as settings describe it, and its troubles as sentences."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from duocthu_site.environ import DatabaseUrl

MAJOR_VERSION = 18
NAME = "duocthu"
PORT = 5432
LONGEST_SOCKET_PATH = 100
PLAIN_PATH = re.compile(r"[A-Za-z0-9_./-]+")
FAILURE = re.compile(r"FATAL|PANIC|error:")


class EmbeddedServerError(RuntimeError):
    """The embedded server cannot run; the message is a sentence for the person at the terminal."""

    def __init__(self, vietnamese: str, english: str) -> None:
        super().__init__(f"{vietnamese}\n({english})")


@dataclass(frozen=True, slots=True)
class EmbeddedCluster:
    """Where the embedded server keeps its things. durable=False trades safety against power cuts for speed."""

    data_dir: Path
    durable: bool = True

    @property
    def directory(self) -> Path:
        """The server's own data directory."""
        return self.data_dir / f"postgres-{MAJOR_VERSION}"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.directory / "server.log"

    @property
    def socket_dir(self) -> Path:
        """Where the socket lies: with the data, unless that path is too long or too odd for a socket."""
        beside = self.data_dir / "run"
        name = str(beside / f".s.PGSQL.{PORT}")
        if len(os.fsencode(name)) <= LONGEST_SOCKET_PATH and PLAIN_PATH.fullmatch(name):
            return beside
        return Path("/tmp") / f"duocthu-{hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:12]}"  # noqa: S108

    @property
    def url(self) -> DatabaseUrl:
        """How to connect."""
        return DatabaseUrl(name=NAME, user=NAME, password="", host=str(self.socket_dir), port=str(PORT), options={})

    @property
    def socket(self) -> Path:
        """The socket itself."""
        return self.socket_dir / f".s.PGSQL.{PORT}"

    def lock_file(self, role: str) -> Path:
        """The lock files: "users" (shared while in use), "start" (one at a time), "keeper"."""
        return self.data_dir / f"postgres.{role}.lock"


def server_configuration(cluster: EmbeddedCluster) -> str:
    """The server's settings. Its log never holds a statement or a row: those contain what people asked."""
    settings = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": str(cluster.socket_dir),
        "unix_socket_permissions": "0700",
        "max_connections": "80",
        "shared_buffers": "64MB",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_checkpoints": "off",
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
    }
    if not cluster.durable:
        settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    return "".join(f"{name} = '{value}'\n" for name, value in settings.items())


def explain_failure(cluster: EmbeddedCluster, said: str) -> EmbeddedServerError:
    """What the server's own words mean for the person who started it."""
    if "No space left on device" in said:
        return EmbeddedServerError(
            f"Ổ đĩa chứa {cluster.data_dir} đã đầy: hãy giải phóng chỗ rồi chạy lại.",
            f"The disk that holds {cluster.data_dir} is full: free some space and start again.",
        )
    if "Permission denied" in said or "Read-only file system" in said:
        return unwritable(cluster.data_dir, "Permission denied")
    last = next((line for line in reversed(said.splitlines()) if FAILURE.search(line)), "")
    return EmbeddedServerError(
        f"PostgreSQL nhúng không khởi động được ({last.strip() or 'không rõ lý do'}). Xem {cluster.log}; nếu dữ liệu"
        f" hỏng, hãy dời {cluster.directory} đi chỗ khác rồi chạy lại hoặc phục hồi bản sao lưu.",
        f"The embedded PostgreSQL did not start; see {cluster.log}. If its data is damaged, move {cluster.directory}"
        " away and start again, or restore a backup.",
    )


def unwritable(path: Path, reason: str) -> EmbeddedServerError:
    """The data directory cannot be used."""
    return EmbeddedServerError(
        f"Không ghi được vào thư mục dữ liệu {path} ({reason}): hãy sửa quyền hoặc đặt DUOCTHU_DATA_DIR sang nơi khác.",
        f"The data directory {path} cannot be written: mend its permissions or set DUOCTHU_DATA_DIR to another place.",
    )
