"""Backup, destroy, restore: everything is back, checked by content; and what is not whole is refused."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from duocthu_site.backup_manifest import MANIFEST, BackupRefused, read_manifest
from duocthu_site.embedded import hold_server, release_server
from duocthu_site.server_start import binary_dir
from tests.site.killing import SETTINGS, Site
from tests.site.processes import run_program
from tests.site.visitor import Visitor

pytestmark = [pytest.mark.service, pytest.mark.slow]

QUESTIONS = ("Chống chỉ định của metformin?", "lieu paracetamol cho nguoi lon", "giá vàng hôm nay")
# What must be back, column by column and in an order of its own; looked at from outside, not by what is tested.
CONTENT = {
    "turns": "SELECT id, conversation_id, question, state, decision, reason, frame, contract, corpus_version, trace,"
    " created_at, finished_at FROM chat_turn ORDER BY id",
    "conversations": "SELECT id, owner, title, created_at FROM chat_conversation ORDER BY id",
    "reviews": "SELECT id, sha256, passage_uid, decision, corrected_text, reason, reviewer_id, decided_at"
    " FROM ingest_review ORDER BY id",
    "editions": "SELECT e.id, e.title, e.sha256, e.state, e.revision, e.accents, m.slug, s.anchor, p.uid, p.state,"
    " p.text, p.corrected_text, p.labels, p.boxes::text, p.tokens::text FROM monographs_edition e"
    " JOIN monographs_monograph m ON m.edition_id = e.id JOIN monographs_section s ON s.monograph_id = m.id"
    " JOIN monographs_passage p ON p.section_id = s.id ORDER BY p.id",
    "accounts": "SELECT id, username, password, is_superuser FROM auth_user ORDER BY id",
    "permissions": "SELECT g.name, p.codename FROM auth_group g JOIN auth_group_permissions gp ON gp.group_id = g.id"
    " JOIN auth_permission p ON p.id = gp.permission_id ORDER BY 1, 2",
}


def content_of(site: Site) -> dict[str, str]:
    """SHA-256 of each kind of content, and how many rows it has."""
    found = {}
    for name, query in CONTENT.items():
        rows = site.rows(query)
        found[name] = f"{len(rows)} {hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest()}"
    return found


def files_of(site: Site) -> dict[str, str]:
    """SHA-256 of each PDF that is kept."""
    kept = (site.data_dir / "editions").glob("*.pdf")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}


@dataclass(frozen=True, slots=True)
class Kept:
    """A backup and what was there when it was made; visitor: who asked, turns: where their answers are."""

    folder: Path
    content: dict[str, str]
    files: dict[str, str]
    visitor: Visitor
    turns: dict[str, str]


def new_site(folder: Path) -> Site:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return Site(folder / "data", int(probe.getsockname()[1]), folder)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Turns of a visitor, reviews and an edition, backed up while the program runs; then all of it destroyed."""
    folder = tmp_path_factory.mktemp("kept")
    site = new_site(folder)
    site.start()
    try:
        site.manage("-m", "tests.site.decide_reviews")
        visitor = Visitor(site.port)
        turns = {turn: visitor.answer(turn) for turn in map(visitor.ask, QUESTIONS)}
        site.manage("manage.py", "backup", str(folder / "backup"))
        content, files = content_of(site), files_of(site)
    finally:
        site.stop()
    shutil.rmtree(site.data_dir)
    return Kept(folder / "backup", content, files, visitor, turns)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A data directory with nothing in it."""
    empty = new_site(tmp_path)
    yield empty
    empty.stop()


def restore(site: Site, folder: Path, *options: str, code: int = 0) -> str:
    """What the command said on its way to this exit status."""
    done = run_program(
        ["manage.py", "restore", str(folder), *options],
        DJANGO_SETTINGS_MODULE=SETTINGS,
        DUOCTHU_DATA_DIR=str(site.data_dir),
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@contextmanager
def serving(site: Site) -> Iterator[None]:
    """Its database alone is up."""
    hold_server(site.cluster)
    yield
    release_server(site.cluster)


def tables_of(site: Site) -> list[str]:
    """The tables that the database holds."""
    found = site.rows("SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")
    return [str(name) for (name,) in found]


def test_turns_reviews_editions_and_accounts_are_back_by_content(kept: Kept, site: Site) -> None:
    with serving(site):
        said = restore(site, kept.folder)
        assert "1 ấn bản, 3 lượt hỏi, " in said
        assert content_of(site) == kept.content
    assert {name: int(rows.split()[0]) > 0 for name, rows in kept.content.items()} == dict.fromkeys(CONTENT, True)
    assert files_of(site) == kept.files and kept.files


def test_whoever_asked_reads_their_answers_again_with_the_page_of_the_book(kept: Kept, site: Site) -> None:
    restore(site, kept.folder)
    site.start()
    visitor = Visitor(site.port, cookies=dict(kept.visitor.cookies))
    for turn, page in kept.turns.items():
        assert words(visitor.get(turn).text) == words(page)
    answered = next(turn for turn, page in kept.turns.items() if "/sources/1/" in page)
    crop = visitor.get(f"{answered}sources/1/").text.partition('src="/passages/')[2].partition('"')[0]
    picture = visitor.get(f"/passages/{crop.replace('&amp;', '&')}")
    assert (picture.status, picture.body[:4]) == (200, b"\x89PNG")
    # Counters go on where they were.
    assert visitor.answer(visitor.ask(QUESTIONS[0]))


def words(page: str) -> str:
    """An answer's page from its verdict on, without the token of its forms."""
    return "".join(line for line in page.partition("<main")[2].splitlines() if "csrfmiddlewaretoken" not in line)


def test_a_database_with_anything_in_it_is_left_alone(kept: Kept, site: Site) -> None:
    with serving(site):
        site.manage("manage.py", "migrate", "--verbosity", "0")
        site.manage("manage.py", "create_staff", "người-mới", "--role", "reviewer")
        said = restore(site, kept.folder, code=1)
        assert "Cơ sở dữ liệu đã có dữ liệu, nên không phục hồi gì cả" in said
        assert site.rows("SELECT username FROM auth_user") == [("người-mới",)]
    assert not (site.data_dir / "editions").exists()


def cut(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (path,) = folder.glob(name)
        os.truncate(path, path.stat().st_size // 2)

    return damage


def flip(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (path,) = folder.glob(name)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    return damage


def remove(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (path,) = folder.glob(name)
        path.unlink()

    return damage


def rename_out(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    manifest["files"][0]["name"] = "../../elsewhere"
    (folder / MANIFEST).write_text(json.dumps(manifest), "utf-8")


def from_later(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    manifest["migrations"].append("chat.9999_of_a_later_release")
    (folder / MANIFEST).write_text(json.dumps(manifest), "utf-8")


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        pytest.param(cut("database.dump"), "database.dump có", id="dump cut short"),
        pytest.param(
            flip("database.dump"), "nội dung database.dump không còn như lúc sao lưu", id="one bit of the dump"
        ),
        pytest.param(remove("database.dump"), "không đọc được database.dump", id="no dump"),
        pytest.param(cut("editions/*.pdf"), ".pdf có", id="PDF cut short"),
        pytest.param(remove("editions/*.pdf"), "không đọc được editions/", id="no PDF"),
        pytest.param(cut(MANIFEST), "manifest.json hỏng", id="manifest cut short"),
        pytest.param(remove(MANIFEST), "có lẽ việc sao lưu chưa xong", id="no manifest"),
        pytest.param(rename_out, "manifest.json hỏng", id="a name that leads out of the folder"),
    ],
)
def test_a_backup_that_is_not_whole_is_refused(
    kept: Kept, tmp_path: Path, damage: Callable[[Path], None], sentence: str
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(kept.folder, folder)
    damage(folder)
    with pytest.raises(BackupRefused) as refused:
        read_manifest(folder)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        pytest.param(cut("database.dump"), "database.dump có", id="dump cut short"),
        pytest.param(from_later, "chat.9999_of_a_later_release", id="of a later release"),
    ],
)
def test_what_is_refused_changes_nothing(
    kept: Kept, site: Site, tmp_path: Path, damage: Callable[[Path], None], sentence: str
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(kept.folder, folder)
    damage(folder)
    with serving(site):
        assert sentence in restore(site, folder, code=1)
        assert tables_of(site) == []
    assert not (site.data_dir / "editions").exists()


# The first lines of the real script, then whatever cuts it off.
HALF = """#!/bin/sh
"{real}/pg_restore" "$@" | head -n {lines}
{end}
"""


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        pytest.param(300, "exit 1", id="fails within the definitions"),
        pytest.param(4000, "exit 0", id="says nothing within the rows"),
        pytest.param(4000, "kill -9 $PPID", id="the command is killed within the rows"),
        pytest.param(-20, "exit 0", id="says nothing, only the last indexes are missing"),
    ],
)
def test_a_restore_that_is_cut_off_leaves_nothing_and_can_be_done_again(
    kept: Kept, site: Site, tmp_path: Path, lines: int, end: str
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("pg_dump", "psql"):
        (tools / name).symlink_to(binary_dir() / name)
    (tools / "pg_restore").write_text(HALF.format(real=binary_dir(), lines=lines, end=end))
    (tools / "pg_restore").chmod(0o755)
    restore(site, kept.folder, "--pg-bin", str(tools), code=-9 if "kill" in end else 1)
    with serving(site):
        assert tables_of(site) == []
        restore(site, kept.folder)
        assert content_of(site) == kept.content


def test_a_backup_goes_to_a_new_folder_only(site: Site, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    done = run_program(
        ["manage.py", "backup", str(tmp_path / "taken")],
        DJANGO_SETTINGS_MODULE=SETTINGS,
        DUOCTHU_DATA_DIR=str(site.data_dir),
    )
    assert done.returncode == 1
    assert "mỗi bản sao lưu cần một thư mục mới hoặc rỗng" in done.stderr


def test_a_backup_that_fails_leaves_no_folder_that_looks_like_one(kept: Kept, site: Site, tmp_path: Path) -> None:
    restore(site, kept.folder)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("pg_restore", "psql"):
        (tools / name).symlink_to(binary_dir() / name)
    script = f'#!/bin/sh\ntest "$1" = --version && exec {binary_dir()}/pg_dump "$@"\n'
    script += 'echo "pg_dump: error: disk" >&2; exit 1\n'
    (tools / "pg_dump").write_text(script)
    (tools / "pg_dump").chmod(0o755)
    done = run_program(
        ["manage.py", "backup", str(tmp_path / "backup"), "--pg-bin", str(tools)],
        DJANGO_SETTINGS_MODULE=SETTINGS,
        DUOCTHU_DATA_DIR=str(site.data_dir),
    )
    assert done.returncode == 1
    assert "Không sao lưu được cơ sở dữ liệu: pg_dump: error: disk" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "data"]


def test_a_pdf_that_is_lost_or_damaged_is_told_and_the_rest_is_backed_up(
    kept: Kept, site: Site, tmp_path: Path
) -> None:
    restore(site, kept.folder)
    (pdf,) = (site.data_dir / "editions").glob("*.pdf")
    flip("*.pdf")(pdf.parent)
    done = run_program(
        ["manage.py", "backup", str(tmp_path / "backup")],
        DJANGO_SETTINGS_MODULE=SETTINGS,
        DUOCTHU_DATA_DIR=str(site.data_dir),
    )
    assert done.returncode == 0
    assert f"Không có trong bản sao lưu: tệp PDF {pdf.stem}" in done.stderr
    assert json.loads((tmp_path / "backup" / MANIFEST).read_text("utf-8"))["missing"] == [pdf.stem]


def test_nobody_else_may_read_a_backup(kept: Kept) -> None:
    assert kept.folder.stat().st_mode & 0o077 == 0
