"""Names, identifiers and aliases from what is printed."""

from __future__ import annotations

import pytest

from ingest.domain import BrandIndexLine, ParsedBook, ParsedMonograph, ParsedPassage, ParsedSection
from ingest.naming import aliases_of, atc_codes, name_of, unique_slugs, vocabulary_of
from monographs.domain import AliasKind, MonographKind, PassageKind, SectionKey


def _section(key: SectionKey, text: str) -> ParsedSection:
    return ParsedSection(key, key.value, 3, 1, (ParsedPassage(text, PassageKind.TEXT, 3, 1, ()),))


def _monograph(
    title: str, *sections: ParsedSection, subtitle: str = "", synonyms: tuple[str, ...] = ()
) -> ParsedMonograph:
    return ParsedMonograph(title, MonographKind.DRUG, 3, 1, sections, subtitle, synonyms)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("PARACETAMOL", "Paracetamol"),
        ("CALCI GLUCONAT", "Calci gluconat"),
        ("VITAMIN K", "Vitamin K"),
        ("AMOXICILIN VÀ CLAVULANAT", "Amoxicilin và clavulanat"),
        ("VITAMIN B12", "Vitamin B12"),
        ("YẾU TỐ VIII", "Yếu tố VIII"),
    ],
)
def test_names_read_as_they_are_written_in_text(title: str, name: str) -> None:
    assert name_of(_monograph(title)) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Các chất ức chế HMG-CoA reductase (statin) ức chế HMG-CoA.", "Các chất ức chế HMG-CoA reductase"),
        ("HMG-COA. Thuốc ức chế HMG-CoA, HMG-CoA là enzym.", "Các chất ức chế HMG-CoA reductase"),
        ("Reductase: enzym. Thuốc hạ lipid.", "Các chất ức chế hmg-coa reductase"),
    ],
    ids=["as the text writes it", "the commonest form", "never written"],
)
def test_a_word_with_capitals_inside_is_named_as_the_text_writes_it(text: str, name: str) -> None:
    assert name_of(_monograph("CÁC CHẤT ỨC CHẾ HMG-COA REDUCTASE", _section(SectionKey.CHI_DINH, text))) == name


def test_namesakes_are_told_apart() -> None:
    slugs = unique_slugs(
        (
            _monograph("SALBUTAMOL", subtitle="Dùng trong hô hấp"),
            _monograph("SALBUTAMOL", subtitle="Dùng trong sản khoa"),
            _monograph("GLUCOSE"),
            _monograph("GLUCOSE"),
        )
    )
    assert slugs == ["salbutamol_dung_trong_ho_hap", "salbutamol_dung_trong_san_khoa", "glucose", "glucose_2"]


def test_aliases_come_from_every_place_that_prints_them() -> None:
    monograph = _monograph(
        "PARACETAMOL",
        _section(SectionKey.TEN_CHUNG_QUOC_TE, "Paracetamol."),
        _section(SectionKey.TEN_THUONG_MAI, "Panadol; Hapacol, Efferalgan."),
        synonyms=("Acetaminophen",),
    )
    book = ParsedBook(
        (monograph,),
        {3: 1, 9: 7},
        {},
        (BrandIndexLine("Sara", ("Paracetamol",), 1, 9), BrandIndexLine("X", ("Y",), 1, 9)),
    )
    found = {(alias.text, alias.kind, alias.printed_page) for alias in aliases_of(monograph, "Paracetamol", book)}
    assert found == {
        ("Paracetamol", AliasKind.NAME, 1),
        ("Paracetamol", AliasKind.INN, 1),
        ("Acetaminophen", AliasKind.SYNONYM, 1),
        ("Panadol", AliasKind.TRADE_NAME, 1),
        ("Hapacol", AliasKind.TRADE_NAME, 1),
        ("Efferalgan", AliasKind.TRADE_NAME, 1),
        ("Sara", AliasKind.BRAND_INDEX, 7),
    }


def test_atc_codes() -> None:
    assert atc_codes(_monograph("X", _section(SectionKey.MA_ATC, "N02BE01, N02B; R05."))) == ["N02BE01", "N02B"]


def test_the_vocabulary_holds_every_folded_word_once() -> None:
    book = ParsedBook((_monograph("X", _section(SectionKey.CHI_DINH, "Đau nhẹ, đau vừa.")),), {}, {})
    assert vocabulary_of(book) == "dau nhe vua"
