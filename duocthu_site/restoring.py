"""Bringing back a backup, into an empty database only; whatever interrupts it, nothing half is left."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from duocthu_site.backup_manifest import DUMP, EDITIONS, SECRET_KEY, BackupRefused, Manifest, read_manifest
from duocthu_site.dump_tools import ToolFailed, current_tools
from duocthu_site.fingerprints import comparison, has_tables
from ingest.library import keep_pdf

NOT_EMPTY = (
    "Cơ sở dữ liệu đã có dữ liệu, nên không phục hồi gì cả. Hãy phục hồi vào một cơ sở dữ liệu rỗng: tạo cơ sở dữ liệu "
    "mới và đặt DATABASE_URL, hoặc ở chế độ nhúng thì dời thư mục dữ liệu (DUOCTHU_DATA_DIR) đi chỗ khác."
)


def restore_backup(source: Path, *, tools_in: Path | None = None) -> Manifest:
    """Brings back database, PDFs and secret key. The database comes last, in one transaction that also compares it
    with what was backed up; until then what was copied is not in use.

    Raises BackupRefused, or OSError where a file cannot be written.
    """
    manifest = read_manifest(source)
    if unknown := _unknown_migrations(manifest):
        raise BackupRefused(
            f"Bản sao lưu do một phiên bản mới hơn của chương trình tạo ra (có {', '.join(unknown[:3])}): "
            "hãy cài phiên bản đó rồi phục hồi."
        )
    _refuse_unless_empty()
    try:
        tools = current_tools(tools_in)
        for sha256 in manifest.pdfs:
            keep_pdf(source / EDITIONS / f"{sha256}.pdf", sha256)
        if manifest.has_key:
            _put_key(source / SECRET_KEY)
        tools.load(source / DUMP, check=comparison(manifest.database))
    except ToolFailed as error:
        raise BackupRefused(f"Không phục hồi được cơ sở dữ liệu, vẫn còn rỗng như trước: {error}.") from error
    return manifest


def needs_migration(manifest: Manifest) -> bool:
    """Whether the program has migrations that the backup was made before."""
    return bool(_own_migrations() - set(manifest.migrations))


def _unknown_migrations(manifest: Manifest) -> list[str]:
    ours = _own_migrations()
    apps = {name.partition(".")[0] for name in ours}
    return [name for name in manifest.migrations if name not in ours and name.partition(".")[0] in apps]


def _own_migrations() -> set[str]:
    return {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}


def _refuse_unless_empty() -> None:
    with connection.cursor() as cursor:
        if has_tables(cursor):
            raise BackupRefused(NOT_EMPTY)


def _put_key(source: Path) -> None:
    """In place of the one that was made when this command started."""
    target = Path(settings.DUOCTHU_DATA_DIR) / SECRET_KEY
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{SECRET_KEY}.")
    os.close(handle)
    shutil.copyfile(source, draft)
    Path(draft).replace(target)
