"""Which drugs a text names."""

import tomllib

import pytest

from monographs.domain import AliasKind, DrugRef
from monographs.names import AliasEntry, AliasIndex, is_syllable, look_alikes, spelling_key
from tests.paths import ROOT


def _drug(name: str) -> DrugRef:
    return DrugRef(name.lower().replace(" ", "_"), name, 1, 1, 1)


DRUGS = {
    name: _drug(name)
    for name in ["Paracetamol", "Aspirin", "Amoxicilin", "Acetylcystein", "Calci gluconat", "Dopamin", "Dobutamin"]
}
INDEX = AliasIndex(
    [
        *(AliasEntry(name, AliasKind.NAME, drug) for name, drug in DRUGS.items()),
        AliasEntry("Panadol", AliasKind.TRADE_NAME, DRUGS["Paracetamol"]),
        AliasEntry("Panadol Extra", AliasKind.TRADE_NAME, DRUGS["Paracetamol"]),
        AliasEntry("Sara", AliasKind.TRADE_NAME, DRUGS["Paracetamol"]),
        AliasEntry("AM", AliasKind.BRAND_INDEX, DRUGS["Amoxicilin"]),
        AliasEntry("Dolomar LA", AliasKind.TRADE_NAME, DRUGS["Paracetamol"]),
        AliasEntry("Minh MR", AliasKind.TRADE_NAME, DRUGS["Paracetamol"]),
        AliasEntry("Dolozet Plus", AliasKind.TRADE_NAME, DRUGS["Aspirin"]),
        AliasEntry("ACC", AliasKind.TRADE_NAME, DRUGS["Acetylcystein"]),
        AliasEntry("Dolomix", AliasKind.TRADE_NAME, DRUGS["Paracetamol"]),
        AliasEntry("Dolomix", AliasKind.BRAND_INDEX, DRUGS["Aspirin"]),
    ]
)


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("Liều paracetamol cho người lớn", ["Paracetamol"]),
        ("LIEU PARACETAMOL", ["Paracetamol"]),
        ("panadol uống mấy viên", ["Paracetamol"]),
        ("panadol extra", ["Paracetamol"]),
        # How a brand is released names no other drug, and is seldom typed; what else stands behind it may.
        ("dolomar la 30", ["Paracetamol"]),
        ("dolomar", ["Paracetamol"]),
        ("dolozet", []),
        ("minh đau đầu", []),
        ("amoxicillin 500 mg", ["Amoxicilin"]),
        ("acetylcysteine", ["Acetylcystein"]),
        ("aspirine", ["Aspirin"]),
        ("calci gluconat tiêm", ["Calci gluconat"]),
        ("thuốc AM liều bao nhiêu", ["Amoxicilin"]),
        ("AM liều bao nhiêu", ["Amoxicilin"]),
        ("am 500mg", ["Amoxicilin"]),
        ("viên sara", ["Paracetamol"]),
        ("paracetamol+dopamin", ["Paracetamol", "Dopamin"]),
        ("tương tác aspirin-amoxicillin", ["Aspirin", "Amoxicilin"]),
        ("aspirin+zolpixantel", ["Aspirin"]),
        ("biet duoc am", ["Amoxicilin"]),
        ("viên nén sara", ["Paracetamol"]),
        ("acc 0,2 g", ["Acetylcystein"]),
        ("acc 200 ngày mấy gói", ["Acetylcystein"]),
        ("ACC 200 NGAY MAY GOI", ["Acetylcystein"]),
        ("paracetamol với dopamin", ["Paracetamol", "Dopamin"]),
    ],
)
def test_names_are_found(text: str, drugs: list[str]) -> None:
    assert [span.drugs[0].name for span in INDEX.resolve(text)] == drugs


@pytest.mark.parametrize(
    "text",
    [
        "aspirinol 500 mg",
        "uống mấy lần một ngày",
        "viêm âm đạo dùng thuốc gì",
        "viem am dao dung thuoc gi",
        "trẻ bị ẩm da",
        "bé tên sara bị sốt",
        "thuốc aspirin-like",
        "bé sara 3 tuổi bị sốt",
        "sara 120 cm",
        "thuốc âm đạo",
        "thuoc am dao",
        "VIEM AM DAO DUNG THUOC GI",
        "paracetamolum",
    ],
)
def test_plain_words_and_inventions_are_no_drug(text: str) -> None:
    assert INDEX.resolve(text) == []


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("áp xe gan do amip", []),
        ("liều amip 5 mg", ["Dopamin"]),
        ("thuốc amip uống mấy viên", ["Dopamin"]),
        ("Amip", ["Dopamin"]),
        ("dopamin", ["Dopamin"]),
    ],
)
def test_a_brand_that_is_a_word_of_the_book_as_well_needs_a_cue(text: str, drugs: list[str]) -> None:
    entries = [
        AliasEntry("Dopamin", AliasKind.NAME, DRUGS["Dopamin"]),
        AliasEntry("Amip", AliasKind.TRADE_NAME, DRUGS["Dopamin"]),
    ]
    found = AliasIndex(entries, frozenset({"amip", "dopamin"})).resolve(text)
    assert [drug.name for span in found for drug in span.drugs] == drugs


def test_a_shared_alias_keeps_all_its_drugs() -> None:
    (span,) = INDEX.resolve("dolomix")
    assert {drug.name for drug in span.drugs} == {"Paracetamol", "Aspirin"}


def test_suggestions_are_close_names_best_first() -> None:
    assert INDEX.suggest("paracetamon")[0].drug.name == "Paracetamol"
    assert INDEX.suggest("zzzzzz") == []
    assert {s.drug.name for s in INDEX.suggest("dobamin")} >= {"Dopamin", "Dobutamin"}


@pytest.mark.parametrize("word", ["uong", "nguoi", "thuoc", "nghieng", "am", "yeu", "khuyu"])
def test_vietnamese_syllables(word: str) -> None:
    assert is_syllable(word)


@pytest.mark.parametrize("word", ["panadol", "aspirinol", "hapacol", "acc", "dl", "warfarin"])
def test_names_are_no_syllables(word: str) -> None:
    assert not is_syllable(word)


def test_one_key_for_the_spellings_of_an_inn() -> None:
    assert spelling_key("amoxicillin") == spelling_key("amoxicilin")
    assert spelling_key("chlorpheniramine") == spelling_key("clorpheniramin")
    assert spelling_key("dopamin") != spelling_key("dobutamin")


def test_names_that_are_taken_for_one_another_are_offered_together() -> None:
    for typed in ("dobutamim", "dopamim", "dobamin"):
        offered = [suggestion.drug.name for suggestion in INDEX.suggest(typed)]
        assert {"Dobutamin", "Dopamin"} <= set(offered[:3]), typed


def test_a_name_typed_right_is_not_asked_about_for_its_look_alike() -> None:
    assert [span.drugs for span in INDEX.resolve("lieu dopamin")] == [(DRUGS["Dopamin"],)]


def test_the_list_of_look_alikes_holds_names_in_the_books_spelling_once_each_in_a_group() -> None:
    groups = tomllib.loads((ROOT / "monographs" / "data" / "look_alikes.toml").read_text())["groups"]
    for group in groups:
        assert len(set(group)) == len(group) >= 2
        assert all(name == name.strip().lower() for name in group)
    assert set(look_alikes("Dopamin")) >= {"dobutamin"} and set(look_alikes("dobutamin")) >= {"dopamin"}
    assert look_alikes("paracetamol") == ()
