"""The editions of the sample, read from their plain text sources; docs/sample-format.md describes the format."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from ingest.sample.reader import merged_cells, read_monograph
from ingest.sample.values import (
    RUN_IN_KEYS,
    BrandLine,
    Cell,
    Edition,
    Face,
    Formula,
    Item,
    Monograph,
    Paragraph,
    Run,
    Section,
    Segment,
    SourceError,
    Table,
    TableStyle,
)
from monographs.domain import MonographKind, SectionKey

__all__ = [
    "BRAND_FILE",
    "EDITION_FILE",
    "RUN_IN_KEYS",
    "SAMPLE_DIR",
    "SOURCES_DIR",
    "BrandLine",
    "Cell",
    "Edition",
    "Face",
    "Formula",
    "Item",
    "Monograph",
    "Paragraph",
    "Run",
    "Section",
    "Segment",
    "SourceError",
    "Table",
    "TableStyle",
    "brand_lines",
    "edition_files",
    "fold",
    "load_edition",
    "merged_cells",
    "read_brands",
    "read_monograph",
    "trade_names",
]

SAMPLE_DIR = Path(__file__).parent
SOURCES_DIR = SAMPLE_DIR / "sources"
EDITION_FILE = SAMPLE_DIR / "edition.toml"
BRAND_FILE = "brand-index.txt"


def fold(text: str) -> str:
    """Lower case without accents, for ordering and file names."""
    plain = unicodedata.normalize("NFD", text.replace("Đ", "D").replace("đ", "d"))
    return "".join(c for c in plain if not unicodedata.combining(c)).lower()


def load_edition(number: int | None = None) -> Edition:
    """The edition of that number (default: the bundled one)."""
    settings = tomllib.loads(EDITION_FILE.read_text(encoding="utf-8"))
    number = number or settings["bundled"]
    facts = settings["editions"].get(str(number))
    if facts is None:
        raise SourceError(EDITION_FILE, 1, f"không có ấn bản {number}: hãy thêm mục [editions.{number}]")
    return _edition(number, facts, [SOURCES_DIR / name for name in facts["sources"]])


def _edition(number: int, facts: dict[str, object], folders: list[Path]) -> Edition:
    files = edition_files(folders, removed=tuple(_strings(facts.get("remove", []))))
    monographs = sorted((read_monograph(path) for path in files), key=_book_order)
    extra = [line for folder in folders for line in read_brands(folder / BRAND_FILE)]
    return Edition(
        number=number,
        title=str(facts["title"]),
        year=int(str(facts["year"])),
        edition=str(facts["edition"]),
        running_head=str(facts["running_head"]),
        footer=str(facts["footer"]),
        first_printed_page=int(str(facts["first_printed_page"])),
        pdf=str(facts["pdf"]),
        monographs=tuple(monographs),
        brands=brand_lines(monographs, extra),
    )


def _strings(values: object) -> Iterator[str]:
    if isinstance(values, list):
        yield from (str(value) for value in values)


def edition_files(folders: list[Path], *, removed: tuple[str, ...] = ()) -> list[Path]:
    """The files of an edition: a later folder's file replaces an earlier one of the same name."""
    files: dict[str, Path] = {}
    for folder in folders:
        files |= {path.stem: path for path in sorted(folder.glob("*.txt")) if path.name != BRAND_FILE}
    return [files[stem] for stem in sorted(files) if stem not in removed]


KIND_ORDER = (MonographKind.CHAPTER, MonographKind.DRUG, MonographKind.APPENDIX)


def _book_order(monograph: Monograph) -> tuple[int, str, str]:
    name = monograph.title if monograph.kind is MonographKind.DRUG else monograph.slug
    return KIND_ORDER.index(monograph.kind), fold(name), fold(monograph.subtitle)


def brand_lines(monographs: list[Monograph], extra: list[BrandLine]) -> tuple[BrandLine, ...]:
    """The trade names of every monograph and the extra lines, sorted; a brand of two drugs has two lines."""
    lines = {(line.brand, line.drug): line for line in extra}
    for monograph in monographs:
        for brand in trade_names(monograph):
            lines.setdefault((brand, monograph.running_head), BrandLine(brand, monograph.running_head))
    return tuple(sorted(lines.values(), key=lambda line: (fold(line.brand), line.brand, fold(line.drug))))


def trade_names(monograph: Monograph) -> tuple[str, ...]:
    """The brands of the trade name section: separated by semicolons, closed by a full stop."""
    section = monograph.section(SectionKey.TEN_THUONG_MAI)
    text = section.text.replace("\n", " ").removesuffix(".") if section else ""
    return tuple(name.strip() for name in text.split(";") if name.strip())


def read_brands(path: Path) -> Iterator[BrandLine]:
    """Extra index lines: `Brand = Drug; Drug`, with a final `!` where the index prints no page."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        brand, equals, names = line.partition("=")
        if not equals:
            raise SourceError(path, number, "thiếu dấu '=': viết 'Tên thương mại = Tên thuốc'")
        for name in names.removesuffix("!").split(";"):
            yield BrandLine(brand.strip(), name.strip(), paged=not names.endswith("!"))
