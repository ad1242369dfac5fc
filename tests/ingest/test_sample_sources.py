"""The sample formulary: its source format, its conventions, and a PDF that is the same every time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pypdfium2
import pytest

from ingest.library import bundled_sample, sample_facts, sha256_of
from ingest.sample import build as build_module
from ingest.sample.build import Built, build, main
from ingest.sample.conventions import broken_in, broken_rules
from ingest.sample.figures import formula_strip, table_strip
from ingest.sample.ink import RuleInk, TextInk
from ingest.sample.lines import SUBSCRIPTS, SUPERSCRIPTS, Composer, Setting, break_lines, is_glued, words_of
from ingest.sample.pdf import fonts_present
from ingest.sample.source import (
    EDITION_FILE,
    SAMPLE_DIR,
    SOURCES_DIR,
    Edition,
    Face,
    Formula,
    Monograph,
    Paragraph,
    Run,
    SourceError,
    Table,
    TableStyle,
    edition_files,
    load_edition,
    merged_cells,
    read_brands,
    read_monograph,
)
from ingest.sample.spelling import is_syllable
from monographs.domain import MonographKind, SectionKey
from monographs.text import sort_key

ROOT = SAMPLE_DIR.parent.parent
ALL_SOURCES = sorted(path for path in SOURCES_DIR.rglob("*.txt") if path.name != "brand-index.txt")
SECTIONS = dict.fromkeys(SectionKey, "Nội dung.")


def source_text(*, head: str = "title: THUỐC THỬ", absent: str = "", **sections: str) -> str:
    """A whole, valid source; sections replaces or, with "", removes some."""
    parts = [f"== {key}\n{sections.get(key, text)}" for key, text in SECTIONS.items() if sections.get(key, text)]
    return "\n".join(["# Nguồn: BNF 2023.", head, *([f"absent: {absent}"] if absent else []), *parts]) + "\n"


def read(tmp_path: Path, text: str) -> Monograph:
    path = tmp_path / "thuoc-thu.txt"
    path.write_text(text, encoding="utf-8")
    return read_monograph(path)


def paragraph(tmp_path: Path, line: str) -> Paragraph:
    section = read(tmp_path, source_text(lieu_dung=line)).section(SectionKey.LIEU_DUNG)
    assert section is not None
    return section.paragraphs[-1]


# The format


def test_section_text_has_one_line_per_paragraph_and_no_marks(tmp_path: Path) -> None:
    text = "**Người lớn:** *Đường uống:* 5 mg.\n[table ruled]\nA | B\n---\n1 | 2\n[end]\nDiệt _E. coli_."
    section = read(tmp_path, source_text(lieu_dung=text)).section(SectionKey.LIEU_DUNG)
    assert section is not None
    assert section.text == "Người lớn: Đường uống: 5 mg.\nDiệt E. coli."


@pytest.mark.parametrize(
    ("lines", "labels"),
    [
        ("**Người lớn:** 5 mg.", ("Người lớn",)),
        ("**Người lớn**\n*Đường uống:* 5 mg.", ("Người lớn", "Đường uống")),
        ("**Người lớn:** *Đường uống:* 5 mg.", ("Người lớn", "Đường uống")),
        ("**Người lớn:** A.\n*Đường uống:* B.\nC.", ("Người lớn", "Đường uống")),
        ("**Người lớn:** *Đường uống:* A.\n**Trẻ em:** B.", ("Trẻ em",)),
        ("*Đường uống:* A.", ("Đường uống",)),
        ("*Nhiễm _Listeria_:* A.", ("Nhiễm Listeria",)),
        ("**Thường gặp, ADR > 1/100**", ("Thường gặp, ADR > 1/100",)),
        ("A.", ()),
    ],
    ids=["outer", "outer-alone", "both", "inherited", "outer-resets", "inner-only", "italic-inside", "band", "none"],
)
def test_labels_govern_until_the_next_of_their_level(tmp_path: Path, lines: str, labels: tuple[str, ...]) -> None:
    assert paragraph(tmp_path, lines).segments[-1].labels == labels


def test_label_in_mid_paragraph_opens_a_new_segment(tmp_path: Path) -> None:
    made = paragraph(tmp_path, "Tác dụng. **Dược động học:** Hấp thu nhanh.")
    assert [segment.text for segment in made.segments] == ["Tác dụng.", "Dược động học: Hấp thu nhanh."]
    assert [segment.labels for segment in made.segments] == [(), ("Dược động học",)]
    assert made.text == "Tác dụng. Dược động học: Hấp thu nhanh."


def test_faces_follow_the_marks(tmp_path: Path) -> None:
    runs = paragraph(tmp_path, "**A:** *B:* c _D_").segments[0].runs
    assert [(run.text.strip(), run.face) for run in runs if run.text.strip()] == [
        ("A:", Face.BOLD_ITALIC),
        ("B:", Face.ITALIC),
        ("c", Face.REGULAR),
        ("D", Face.ITALIC),
    ]


def test_merged_cells_span_columns_and_rows() -> None:
    cells = {cell.text: cell for cell in merged_cells((("A", "B", "<"), ("^", "C", "D")))}
    assert (cells["A"].rows, cells["A"].columns) == (2, 1)
    assert (cells["B"].rows, cells["B"].columns) == (1, 2)
    assert len(cells) == 4


def test_printed_heading_can_differ(tmp_path: Path) -> None:
    text = source_text().replace("== quy_che", "== quy_che: Thông tin qui chế")
    section = read(tmp_path, text).section(SectionKey.QUY_CHE)
    assert section is not None
    assert section.heading == "Thông tin qui chế"


def test_chapter_has_free_headings(tmp_path: Path) -> None:
    chapter = read(tmp_path, "# Nguồn: BNF.\ntitle: KÊ ĐƠN\nkind: chapter\n== Nguyên tắc chung\nA.\n== Lưu ý\nB.\n")
    assert chapter.kind is MonographKind.CHAPTER
    assert [(section.key, section.heading) for section in chapter.sections] == [
        (None, "Nguyên tắc chung"),
        (None, "Lưu ý"),
    ]


BAD_SOURCES = {
    "no-title": (source_text(head="subtitle: x"), 1, "thiếu 'title"),
    "unknown-field": (source_text(head="title: A\nnhom: B"), 3, "đầu tệp chỉ nhận"),
    "no-facts": (source_text().replace("# Nguồn: BNF 2023.", "# gì đó"), 1, "thiếu dòng '# Nguồn"),
    "unknown-section": (source_text().replace("== adr", "== adrr"), 23, "không có mục 'adrr'"),
    "missing-section": (source_text(tuong_ky=""), 1, "thiếu mục 'tuong_ky'"),
    "absent-but-there": (source_text(absent="tuong_ky"), 1, "vừa có vừa khai báo"),
    "empty-section": (source_text(adr="# trống"), 23, "trống"),
    "stray-mark": (source_text(ma_atc="A * b."), 6, "dấu * hoặc _ lẻ"),
    "label-without-colon": (source_text(ma_atc="**Người lớn** 5 mg."), 6, "phải kết thúc bằng dấu hai chấm"),
    "no-end": (source_text(ma_atc="[formula]\nx = 1"), 6, "không có dòng [end]"),
    "table-style": (source_text(ma_atc="[table]\nA | B\n---\n1 | 2\n[end]"), 6, "viết [table ruled]"),
    "table-no-head": (source_text(ma_atc="[table ruled]\nA | B\n[end]"), 6, "bảng cần hàng tiêu đề"),
    "table-cells": (source_text(ma_atc="[table ruled]\nA | B\n---\n1\n[end]"), 9, "hàng có 1 ô, hàng đầu có 2 ô"),
    "unknown-block": (source_text(ma_atc="[bảng]"), 6, "chỉ có [table"),
    "indented": (source_text(ma_atc="  A."), 6, "bỏ khoảng trắng"),
    "order": (source_text().replace("== adr\n", "== chi_dinh\n"), 23, "sai thứ tự hoặc lặp lại"),
    "kind": (source_text(head="title: A\nkind: thuoc"), 1, "kind phải là"),
}


@pytest.mark.parametrize(("text", "line", "advice"), BAD_SOURCES.values(), ids=BAD_SOURCES.keys())
def test_format_error_names_file_line_and_remedy(tmp_path: Path, text: str, line: int, advice: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(tmp_path, text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"thuoc-thu.txt:{line}: ")
    assert advice in str(caught.value)


def test_example_in_the_guide_is_right(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "sample-format.md").read_text(encoding="utf-8")
    example = next(block for block in guide.split("```") if block.startswith("\n# Nguồn"))
    monograph = read(tmp_path, example.lstrip("\n"))
    assert list(broken_in(monograph.path)) == []


def test_later_folder_replaces_adds_and_removes(tmp_path: Path) -> None:
    for folder, names in {"cu": ["a", "b", "c"], "moi": ["b", "d"]}.items():
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"{name}.txt").write_text(folder, encoding="utf-8")
    files = edition_files([tmp_path / "cu", tmp_path / "moi"], removed=("c",))
    assert [(path.parent.name, path.stem) for path in files] == [("cu", "a"), ("moi", "b"), ("moi", "d")]


def test_brand_lines_take_several_drugs_and_no_page(tmp_path: Path) -> None:
    path = tmp_path / "brand-index.txt"
    path.write_text("# thêm\nSara = Paracetamol; Ibuprofen\nAM = Amoxicilin!\n", encoding="utf-8")
    assert [(line.brand, line.drug, line.paged) for line in read_brands(path)] == [
        ("Sara", "Paracetamol", True),
        ("Sara", "Ibuprofen", True),
        ("AM", "Amoxicilin", False),
    ]
    path.write_text("Sara Paracetamol\n", encoding="utf-8")
    with pytest.raises(SourceError, match="thiếu dấu '='"):
        list(read_brands(path))


# The conventions


@pytest.mark.parametrize("path", ALL_SOURCES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_source_keeps_every_convention(path: Path) -> None:
    read_monograph(path)
    assert [str(problem) for problem in broken_in(path)] == []


@pytest.mark.parametrize(
    "text",
    [
        "5 µg", "5 μg", "5 mcg", "1 000 UI", "400 IU", "1,0 mg", "0,50 mg", "liều ,5 mg", "0.5 mg", "10mg", "8giờ",
        "50%", "25°C", "4-6 giờ", "4 -6 giờ", "4–6 giờ", "1200 mg", "5 mL", "5 L", "hai  dấu", "cách ,dùng",
        "nhóm,liều",
        "hoá chất", "tuỳ liều", "sức khoẻ", "amoxicillin", "Gentamycin", "natri chloride", "tiêu chảy", "bạn uống",
        "đuờng uống", "liều luợng", "ngưoi", "thưốcc", "bệnhh việnn",
    ],
)  # fmt: skip
def test_broken_convention_is_found(text: str) -> None:
    assert list(broken_rules(text))


@pytest.mark.parametrize(
    "text",
    [
        "0,5 - 1 g/lần, cách 4 - 6 giờ; tối đa 4 g/ngày.", "1 000 000 đvqt", "10 %", "25 °C", "CYP2C9, CYP1A2", "COX-2",
        "vitamin B₁₂, HCO₃⁻, 10⁹/lít", "1 : 1 000", "hội chứng Stevens-Johnson", "N-acetyl-p-benzoquinonimin",
        "ban hành năm 2018", "glôcôm góc đóng", "amoxicilin", "quý, hóa, khỏe, tùy, quy, huyết, giữa, giờ, quyết",
    ],
)  # fmt: skip
def test_right_text_is_left_alone(text: str) -> None:
    assert list(broken_rules(text)) == []


def test_decomposed_accents_and_foreign_signs_are_found(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(source_text(ma_atc=unicodedata.normalize("NFD", "liều")), encoding="utf-8")
    assert "NFC" in str(next(broken_in(path)))
    path.write_text(source_text(ma_atc="A\u00a0B ﬁ"), encoding="utf-8")
    assert len(list(broken_in(path))) == 2


@pytest.mark.parametrize("word", ["thuốc", "giảm", "gì", "quyết", "nghiêng", "uống", "khuẩn", "yếu", "xoắn", "đường"])
def test_syllable(word: str) -> None:
    assert is_syllable(word)


@pytest.mark.parametrize("word", ["thưốc", "đuờng", "khuãnh", "nghànǵ", "bềt", "tồp", "xứac"])
def test_no_syllable(word: str) -> None:
    assert not is_syllable(word)


# The sample itself


@pytest.fixture(scope="module", params=[2026, 2027])
def edition(request: pytest.FixtureRequest) -> Edition:
    return load_edition(request.param)


def test_edition_facts_are_readable(edition: Edition) -> None:
    assert edition.number == edition.year
    assert str(edition.year) in edition.edition and "không dùng cho lâm sàng" in edition.edition
    assert EDITION_FILE.exists()


def test_each_pdf_is_recognised_and_the_first_edition_is_the_bundled_one(edition: Edition) -> None:
    facts = sample_facts(sha256_of(SAMPLE_DIR / edition.pdf))
    assert facts is not None and facts.is_sample and (facts.title, facts.year) == (edition.title, edition.year)
    assert load_edition().number == 2026
    assert bundled_sample() == SAMPLE_DIR / load_edition().pdf


def test_second_edition_changes_four_adds_one_and_removes_one() -> None:
    first, second = ({m.slug: m for m in load_edition(number).monographs} for number in (2026, 2027))
    assert second.keys() - first.keys() == {"cefalexin"}
    assert first.keys() - second.keys() == {"nystatin"}
    changed = {slug for slug in first.keys() & second.keys() if first[slug].sections != second[slug].sections}
    assert changed == {"paracetamol", "metformin", "omeprazol", "losartan"}
    assert second["cefalexin"].absent == ()


def test_mentions_of_a_removed_monograph_stay_and_its_brands_go() -> None:
    edition = load_edition(2027)
    fluconazol = next(m for m in edition.monographs if m.slug == "fluconazol")
    assert any("nystatin" in section.text for section in fluconazol.sections)
    drugs = {line.drug for line in edition.brands}
    assert "Nystatin" not in drugs and "Cefalexin" in drugs


@pytest.mark.parametrize("path", sorted((SOURCES_DIR / "2027").glob("*.txt")), ids=lambda path: path.stem)
def test_each_file_of_the_second_edition_says_what_changed(path: Path) -> None:
    assert "\n# Thay đổi so với 2026: " in path.read_text(encoding="utf-8")


def test_unknown_edition_is_refused() -> None:
    with pytest.raises(SourceError, match="1999"):
        load_edition(1999)


def test_first_eight_are_there_and_whole(edition: Edition) -> None:
    names = {"paracetamol", "ibuprofen", "amoxicilin", "warfarin", "metformin", "gentamicin", "salbutamol-ho-hap"}
    assert {*names, "adrenalin"} <= {monograph.slug for monograph in edition.monographs}
    for monograph in edition.monographs:
        if monograph.kind is MonographKind.DRUG:
            present = {section.key for section in monograph.sections}
            assert present | set(monograph.absent) == set(SectionKey)


def test_monographs_stand_in_alphabetical_order(edition: Edition) -> None:
    titles = [monograph.title for monograph in edition.monographs if monograph.kind is MonographKind.DRUG]
    assert titles == sorted(titles, key=sort_key)


def test_every_dose_stands_under_a_label(edition: Edition) -> None:
    bare = [
        (monograph.slug, segment.text)
        for monograph in edition.monographs
        if (section := monograph.section(SectionKey.LIEU_DUNG))
        for paragraph in section.paragraphs
        for segment in paragraph.segments
        if not segment.labels
    ]
    assert bare == []


def test_sample_holds_the_books_complications(edition: Edition) -> None:
    items = [item for m in edition.monographs for section in m.sections for item in section.items]
    tables = [item for item in items if isinstance(item, Table)]
    assert {table.style for table in tables} == set(TableStyle)
    assert any(table.wide for table in tables)
    assert any(cell.rows > 1 for table in tables for cell in table.cells)
    assert any(cell.columns > 1 for table in tables for cell in table.cells)
    assert any(isinstance(item, Formula) for item in items)
    text = "\n".join(section.text for m in edition.monographs for section in m.sections)
    assert all(mark in text for mark in ("10⁹/lít", "m²", "HCO₃⁻", "Ca²⁺", "B₁₂"))


# Lines


@pytest.mark.parametrize(
    ("text", "breakable"),
    [
        ("dùng 0,5 - 1 g mỗi lần", 3),
        ("trên 1 000 000 đơn vị trong", 2),
        ("cách 4 - 6 giờ một", 2),
        ("dưới 50 × 10⁹/lít thì", 2),
        ("Thường gặp, 1/1 000 < ADR < 1/100", 2),
        ("tỷ lệ 1 : 1 000 rồi", 2),
        ("dưới 30 ml/phút/1,73 m² thì", 2),
        ("dùng 25 đơn vị/kg rồi", 2),
        ("nồng độ 10 % thì", 3),
        ("ngày 3. Sau", 2),
    ],
)
def test_nothing_breaks_between_a_number_and_its_unit(text: str, breakable: int) -> None:
    words = words_of([Run(text)])
    assert sum(not word.glued for word in words[:-1]) == breakable


def test_glue_ends_with_the_sentence() -> None:
    assert not is_glued("3.", "Sau")
    assert is_glued("25", "°C.")


def test_lines_respect_the_width() -> None:
    widths, glued = [30.0, 30.0, 30.0, 30.0, 30.0], [False, True, False, False, False]
    ends = break_lines(widths, 5.0, glued, (70.0, 70.0))
    assert ends[-1] == len(widths)
    assert 2 not in ends


def test_scripts_are_small_and_raised_or_lowered() -> None:
    composer = Composer(lambda text, face, size: len(text) * size / 2)
    (line,) = composer.lines([Run("10⁹ HCO₃⁻")], Setting(indent=0.0))
    ink = [piece for piece in line if isinstance(piece, TextInk)]
    assert [piece.text for piece in ink] == ["10", "9", " HCO", "3", "−"]
    base = ink[0]
    assert ink[1].y < base.y < ink[3].y
    assert ink[1].size < base.size


def test_formula_has_a_bar_and_raised_exponents() -> None:
    composer = Composer(lambda text, face, size: len(text) * size / 2)
    strip = formula_strip(Formula(r"S = \frac{W^{0,425} × H}{139}", (), 1), composer, 240.0)
    texts = {ink.text: ink for ink in strip.ink if isinstance(ink, TextInk)}
    bars = [ink for ink in strip.ink if isinstance(ink, RuleInk)]
    assert len(bars) == 1
    assert texts["0,425"].y < texts["W"].y < bars[0].y0 < texts["139"].y
    with pytest.raises(ValueError, match="rộng hơn cột"):
        formula_strip(Formula("x" * 100, (), 1), composer, 240.0)


def test_table_too_wide_says_so() -> None:
    composer = Composer(lambda text, face, size: len(text) * size / 2)
    rows = (("A" * 60, "B" * 60), ("1", "2"))
    table = Table(TableStyle.RULED, False, 1, rows, merged_cells(rows), (), 7)
    with pytest.raises(ValueError, match="bảng ở dòng 7"):
        table_strip(table, composer, 240.0)


# The PDF

needs_fonts = pytest.mark.skipif(
    not fonts_present() and not os.environ.get("CI"), reason="Tinos (fonts-croscore) is not installed"
)


@pytest.fixture(scope="module")
def built(edition: Edition) -> Built:
    return build(edition)


@needs_fonts
def test_committed_pdf_is_what_the_sources_give(built: Built, edition: Edition) -> None:
    advice = f"run: python -m ingest.sample.build --edition {edition.number}"
    assert built.pdf == (SAMPLE_DIR / edition.pdf).read_bytes(), advice


@needs_fonts
def test_build_is_the_same_under_another_hash_seed(built: Built, edition: Edition, tmp_path: Path) -> None:
    out = tmp_path / "b.pdf"
    command = [sys.executable, "-m", "ingest.sample.build", "--edition", str(edition.number), "--out", str(out)]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "77"}, capture_output=True)
    assert out.read_bytes() == built.pdf


@pytest.fixture(scope="module")
def page_texts(built: Built) -> list[str]:
    document = pypdfium2.PdfDocument(built.pdf)
    try:
        return [document[n].get_textpage().get_text_range() for n in range(len(document))]
    finally:
        document.close()


@needs_fonts
def test_every_page_carries_the_warning(page_texts: list[str], edition: Edition) -> None:
    assert all(edition.footer in text for text in page_texts)


@needs_fonts
def test_printed_numbers_differ_from_pdf_pages(built: Built, page_texts: list[str], edition: Edition) -> None:
    first = edition.monographs[0].slug
    pdf_page, printed = built.starts[first]
    assert printed == edition.first_printed_page != pdf_page
    for pdf_page, printed in built.starts.values():
        assert str(printed) in page_texts[pdf_page - 1].split()


@needs_fonts
def test_every_paragraph_is_in_the_pdf_letter_for_letter(built: Built, page_texts: list[str], edition: Edition) -> None:
    """Columns, heads and feet aside: letters without spaces, scripts at their plain digits."""
    names = {name.running_head for name in edition.monographs}
    heads = [edition.footer, edition.running_head]
    body = "".join(_letters(_without(text, heads, names)) for text in page_texts)
    plain = str.maketrans(SUPERSCRIPTS | SUBSCRIPTS)
    missing = [
        (monograph.slug, paragraph.text)
        for monograph in edition.monographs
        for section in monograph.sections
        for paragraph in section.paragraphs
        if _letters(paragraph.text.translate(plain)) not in body
    ]
    assert missing == []


def _letters(text: str) -> str:
    return re.sub(r"[\s\ufffe\x02-]", "", unicodedata.normalize("NFC", text))


def _without(text: str, heads: list[str], names: set[str]) -> str:
    kept = [line for line in text.splitlines() if not any(head in line for head in heads)]
    return "\n".join(line for line in kept if line.strip() not in names and not line.strip().isdigit())


@needs_fonts
def test_brand_index_points_to_the_monographs(built: Built) -> None:
    assert ("Panadol", "Paracetamol", built.starts["paracetamol"][1]) in {
        (line.brand, line.drug, line.page) for line in built.index
    }


def test_build_command_writes_the_pdf_of_its_edition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_module, "SAMPLE_DIR", tmp_path)
    monkeypatch.setattr(build_module, "build", lambda edition: Built(edition.edition.encode(), {}, (), 1))
    for number in (2026, 2027):
        assert main(["--edition", str(number)]) == 0
        assert str(number).encode() in (tmp_path / load_edition(number).pdf).read_bytes()


@needs_fonts
@pytest.mark.parametrize("number", [2026, 2027])
def test_check_command(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", "--edition", str(number)]) == 0
    assert "không có lỗi" in capsys.readouterr().out


def test_check_command_refuses_an_unknown_edition(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", "--edition", "1999"]) == 1
    assert "1999" in capsys.readouterr().err
