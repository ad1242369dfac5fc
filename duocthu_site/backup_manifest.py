"""What a backup holds, as its manifest says, and whether it still holds it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from duocthu_site.fingerprints import Fingerprint
from ingest.library import sha256_of

MANIFEST = "manifest.json"
DUMP = "database.dump"
SECRET_KEY = "secret_key"  # noqa: S105 - the name of a file
EDITIONS = "editions"
_NAME = rf"^({DUMP}|{SECRET_KEY}|{EDITIONS}/[0-9a-f]{{64}}\.pdf)$"
_NOT_WHOLE = "Bản sao lưu {folder} không dùng được: {why}. Chưa có gì bị thay đổi; hãy dùng một bản sao lưu khác."


class BackupRefused(Exception):
    """Nothing was done; the message, in Vietnamese, says why and what to do."""


class StoredFile(BaseModel):
    """A file of the backup; name: below its folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: Annotated[str, Field(pattern=_NAME)]
    size: int
    sha256: str


class Manifest(BaseModel):
    """Everything that a restore checks. It is written last: a folder without it is no backup.

    migrations: "app.name" of those applied; missing: SHA-256 of the PDFs that were not there, or damaged.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    format: Literal[1] = 1
    made_at: datetime
    server: int
    migrations: list[str]
    database: Fingerprint
    files: list[StoredFile]
    missing: list[str]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def pdfs(self) -> list[str]:
        """SHA-256 of each PDF."""
        return [Path(file.name).stem for file in self.files if file.name.startswith(f"{EDITIONS}/")]

    @property
    def has_key(self) -> bool:
        """Whether the secret key of the data directory is there."""
        return any(file.name == SECRET_KEY for file in self.files)


def stored_file(folder: Path, name: str) -> StoredFile:
    """The facts of a file that lies in the folder. Raises OSError."""
    path = folder / name
    return StoredFile(name=name, size=path.stat().st_size, sha256=sha256_of(path))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup of which every file is as it was written. Raises BackupRefused."""
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except OSError as error:
        raise _not_whole(folder, f"không đọc được {MANIFEST}, có lẽ việc sao lưu chưa xong") from error
    except ValidationError as error:
        raise _not_whole(folder, f"{MANIFEST} hỏng hoặc do phiên bản khác viết") from error
    for file in manifest.files:
        _check(folder, file)
    return manifest


def _check(folder: Path, wanted: StoredFile) -> None:
    try:
        found = stored_file(folder, wanted.name)
    except OSError as error:
        raise _not_whole(folder, f"không đọc được {wanted.name}") from error
    if found.size != wanted.size:
        raise _not_whole(folder, f"{wanted.name} có {found.size} byte thay vì {wanted.size}")
    if found != wanted:
        raise _not_whole(folder, f"nội dung {wanted.name} không còn như lúc sao lưu")


def _not_whole(folder: Path, why: str) -> BackupRefused:
    return BackupRefused(_NOT_WHOLE.format(folder=folder, why=why))
