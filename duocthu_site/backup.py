"""A backup while everything runs: the database in one snapshot, then the PDFs of its editions."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from duocthu_site.backup_manifest import (
    DUMP,
    EDITIONS,
    MANIFEST,
    SECRET_KEY,
    BackupRefused,
    Manifest,
    StoredFile,
    stored_file,
)
from duocthu_site.dump_tools import DumpTools, ToolFailed, current_tools
from duocthu_site.fingerprints import Fingerprint, fingerprint_of
from ingest.library import sha256_of
from monographs.models import Edition, EditionState

_READABLE = (EditionState.READY, EditionState.PUBLISHED, EditionState.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """One moment of the database. wanted: SHA-256 of the PDFs that its editions show pages of."""

    name: str
    server: int
    fingerprint: Fingerprint
    migrations: list[str]
    wanted: list[str]


def make_backup(target: Path, *, tools_in: Path | None = None) -> Manifest:
    """Backs up into a folder that is not there yet, or empty; it is there only once it is whole.

    Raises BackupRefused, or OSError where it cannot be written.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BackupRefused(f"{target} đã có sẵn: mỗi bản sao lưu cần một thư mục mới hoặc rỗng.")
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        manifest = _fill(draft, current_tools(tools_in))
        draft.replace(target)
    except ToolFailed as error:
        raise BackupRefused(f"Không sao lưu được cơ sở dữ liệu: {error}.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    _sync(target.parent)
    return manifest


def _fill(folder: Path, tools: DumpTools) -> Manifest:
    with _snapshot() as snapshot:
        tools.dump(folder / DUMP, snapshot=snapshot.name)
    # After the database: a PDF is kept before any row names it.
    _copy_files(folder)
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    files = [stored_file(folder, name) for name in names]
    manifest = Manifest(
        made_at=timezone.now(),
        server=snapshot.server,
        migrations=snapshot.migrations,
        database=snapshot.fingerprint,
        files=files,
        missing=_missing(snapshot.wanted, files),
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    for path in [*folder.rglob("*"), folder]:
        _sync(path)
    return manifest


@contextmanager
def _snapshot() -> Iterator[_Snapshot]:
    """What one transaction sees, for as long as it lasts."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        wanted = set(Edition.objects.filter(state__in=_READABLE).values_list("sha256", flat=True))
        cursor.execute("SELECT app || '.' || name FROM django_migrations ORDER BY 1")
        migrations = [name for (name,) in cursor.fetchall()]
        cursor.execute("SELECT pg_export_snapshot()")
        (name,) = cursor.fetchone()
        server = cursor.connection.info.server_version
        yield _Snapshot(name, server, fingerprint_of(cursor), migrations, sorted(wanted))


def _copy_files(folder: Path) -> None:
    """The PDFs that are what their name says, and the secret key where it is kept in the data directory."""
    data_dir = Path(settings.DUOCTHU_DATA_DIR)
    (folder / EDITIONS).mkdir()
    for path in sorted((data_dir / EDITIONS).glob("*.pdf")):
        copy = folder / EDITIONS / path.name
        shutil.copyfile(path, copy)
        if sha256_of(copy) != path.stem:
            copy.unlink()
    if (data_dir / SECRET_KEY).is_file():
        shutil.copy2(data_dir / SECRET_KEY, folder / SECRET_KEY)


def _missing(wanted: list[str], files: list[StoredFile]) -> list[str]:
    kept = {Path(file.name).stem for file in files}
    return [sha256 for sha256 in wanted if sha256 not in kept]


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
