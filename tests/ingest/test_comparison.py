"""Two editions compared: what stands in one only, what changed, and which words of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from ingest.comparison import (
    DIFFERENCE_TITLES,
    Difference,
    Mark,
    SectionDigest,
    SectionPlace,
    Stretch,
    compare_editions,
    compare_words,
    doses_of,
    shorten,
)
from ingest.edition_sections import compare, texts_of
from monographs.domain import PassageState, SectionKey
from monographs.models import Edition, EditionState, Passage
from tests.factories import make_edition, make_held_back, make_monograph, make_passage, make_section


def digest(text: str, monograph: str = "A", order: int = 1) -> SectionDigest:
    return SectionDigest(hash(text), monograph, "Liều dùng", text, order)


def place(slug: str = "a", name: str = "lieu_dung", number: int = 1) -> SectionPlace:
    return SectionPlace(slug, name, number)


def marked(old: str, new: str) -> list[tuple[str, str]]:
    return [(stretch.mark.value, stretch.text.strip()) for stretch in compare_words(old, new)]


class TestSections:
    """Digests against digests."""

    def test_every_kind_of_difference_is_told_apart(self) -> None:
        old = {place(): digest("1"), place(name="adr"): digest("2"), place(name="cu"): digest("3")}
        new = {place(): digest("1"), place(name="adr"): digest("9"), place(name="moi"): digest("4")}
        compared = compare_editions(old, new)
        assert {change.place.name: change.difference for change in compared.changes} == {
            "adr": Difference.CHANGED,
            "cu": Difference.ONLY_OLD,
            "moi": Difference.ONLY_NEW,
        }
        assert compared.unchanged == 1

    def test_sections_of_a_monograph_that_is_missing_are_not_told_one_by_one(self) -> None:
        old = {place("a"): digest("1", "A"), place("b"): digest("2", "B")}
        new = {place("a"): digest("1", "A"), place("c"): digest("2", "C")}
        compared = compare_editions(old, new)
        assert compared.only_old == (("b", "B"),) and compared.only_new == (("c", "C"),)
        assert compared.changes == ()

    def test_changes_follow_the_newer_book(self) -> None:
        old = {place(slug): digest("1", slug) for slug in "abc"}
        new = {place(slug): digest("2", slug) for slug in "cab"}
        assert [change.place.slug for change in compare_editions(old, new).changes] == ["c", "a", "b"]

    def test_every_difference_has_its_words(self) -> None:
        assert set(DIFFERENCE_TITLES) == set(Difference)


class TestWords:
    """Texts against texts."""

    @pytest.mark.parametrize(
        ("old", "new", "removed", "added"),
        [
            ("uống 500 mg mỗi ngày", "uống 50 mg mỗi ngày", "500", "50"),
            ("uống 0,5 g", "uống 5 g", "0,5", "5"),
            ("uống 1.000 mg", "uống 1,000 mg", "1.000", "1,000"),
            ("tiêm 500 000 đơn vị", "tiêm 50 000 đơn vị", "500 000", "50 000"),
            ("uống 5 mg", "uống 5 microgam", "mg", "microgam"),
            ("có dùng cho trẻ em", "không dùng cho trẻ em", "có", "không"),
            ("10⁹ tế bào mỗi lít", "10⁶ tế bào mỗi lít", "⁹", "⁶"),
        ],
        ids=["tenth", "decimal", "separator", "thousands", "unit", "negation", "power"],
    )
    def test_a_changed_dose_stands_out(self, old: str, new: str, removed: str, added: str) -> None:
        changed = [stretch for stretch in compare_words(old, new) if stretch.mark is not Mark.SAME]
        assert all(stretch.is_dose for stretch in changed)
        assert removed in "".join(s.text for s in changed if s.mark is Mark.REMOVED)
        assert added in "".join(s.text for s in changed if s.mark is Mark.ADDED)

    def test_reworded_prose_is_no_dose(self) -> None:
        changed = compare_words("thuốc giảm đau mạnh", "thuốc giảm đau yếu")
        assert not any(stretch.is_dose for stretch in changed)

    def test_what_stands_next_to_each_other_is_one_change(self) -> None:
        assert marked("uống 5 mg mỗi ngày một lần", "uống 0,5 g mỗi ngày một lần") == [
            ("same", "uống"),
            ("removed", "5 mg"),
            ("added", "0,5 g"),
            ("same", "mỗi ngày một lần"),
        ]

    def test_white_space_alone_is_no_change(self) -> None:
        assert [stretch.mark for stretch in compare_words("uống  5 mg", "uống 5 mg")] == [Mark.SAME]

    @given(st.text(alphabet="ab 5,0mgđ.\n", max_size=60), st.text(alphabet="ab 5,0mgđ.\n", max_size=60))
    def test_both_texts_can_be_read_off_the_stretches(self, old: str, new: str) -> None:
        stretches = compare_words(old, new)
        sides = (Mark.REMOVED, old), (Mark.ADDED, new)
        for side, text in sides:
            read = "".join(stretch.text for stretch in stretches if stretch.mark in {Mark.SAME, side})
            assert "".join(read.split()) == "".join(text.split())

    @given(st.text(alphabet="ab 5,0mg", max_size=40))
    def test_a_text_against_itself_has_no_change(self, text: str) -> None:
        assert all(stretch.mark is Mark.SAME for stretch in compare_words(text, text))

    def test_numbers_units_and_negations_are_kept_in_order(self) -> None:
        assert doses_of("Không dùng quá 4 g, tức 4.000 mg/ngày.") == ["Không", "4", "g", "4.000", "mg", "ngày"]

    def test_far_from_a_change_the_text_is_left_out(self) -> None:
        words = " ".join(f"từ{number}" for number in range(400))
        stretches = shorten(compare_words(f"{words} 5 mg", f"{words} 9 mg"))
        assert [stretch.mark for stretch in stretches[:2]] == [Mark.LEFT_OUT, Mark.SAME]
        assert stretches[1].text.endswith("từ399 ")
        assert sum(len(stretch.text) for stretch in stretches) < 300

    def test_short_texts_are_shown_whole(self) -> None:
        assert shorten((Stretch("một đoạn ngắn", Mark.SAME),)) == (Stretch("một đoạn ngắn", Mark.SAME),)


@pytest.mark.django_db
class TestEditions:
    """The database's side of it."""

    @pytest.fixture
    def pair(self) -> tuple[Edition, Edition]:
        old, new = make_edition(state=EditionState.SUPERSEDED), make_edition()
        for edition, dose in ((old, "500"), (new, "50")):
            drug = make_monograph(edition, "Paracetamol")
            make_section(drug, SectionKey.LIEU_DUNG, f"Người lớn: {dose} mg.", "Trẻ em: hỏi bác sĩ.")
            make_section(drug, SectionKey.CHI_DINH, "Đau và sốt.")
        make_monograph(old, "Nystatin")
        return old, new

    def test_a_changed_dose_is_found(self, pair: tuple[Edition, Edition]) -> None:
        compared = compare(*pair)
        (change,) = compared.changes
        assert (change.place.name, change.difference, change.doses_differ) == ("lieu_dung", Difference.CHANGED, True)
        assert compared.unchanged == 1 and compared.doses_changed == 1

    def test_a_correction_is_a_change_and_is_seen_at_once(self, pair: tuple[Edition, Edition]) -> None:
        old, new = pair
        compare(old, new)
        Passage.objects.filter(section__monograph__edition=new, text="Đau và sốt.").update(
            state=PassageState.CORRECTED, corrected_text="Đau hoặc sốt."
        )
        Edition.objects.filter(pk=new.pk).update(revision=1)
        new.refresh_from_db()
        assert {change.place.name for change in compare(old, new).changes} == {"lieu_dung", "chi_dinh"}

    def test_a_passage_held_back_in_one_of_them_is_a_change(self, pair: tuple[Edition, Edition]) -> None:
        old, new = pair
        held = Passage.objects.get(section__monograph__edition=new, text="Đau và sốt.")
        Passage.objects.filter(pk=held.pk).update(state=PassageState.QUARANTINED)
        changes = {change.place.name: change for change in compare(old, new).changes}
        assert not changes["chi_dinh"].doses_differ
        assert texts_of([held.section_id])[held.section_id].startswith("⟦giữ lại⟧ Đau")

    def test_sections_without_a_key_are_known_by_their_heading(self) -> None:
        old, new = make_edition(state=EditionState.SUPERSEDED), make_edition()
        for edition, headings in ((old, ["Mở đầu", "Kết"]), (new, ["Mới", "Mở đầu", "Kết"])):
            chapter = make_monograph(edition, "Sử dụng thuốc")
            for number, heading in enumerate(headings):
                section = make_section(chapter, order=number, anchor=f"muc-{number}")
                section.key, section.heading = "", heading
                section.save()
                make_passage(section, f"Nội dung {heading}")
        (change,) = compare(old, new).changes
        assert (change.place.name, change.difference) == ("moi", Difference.ONLY_NEW)

    def test_a_comparison_is_kept_until_an_edition_changes(
        self, pair: tuple[Edition, Edition], django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(3):
            compare(*pair)
        with django_assert_num_queries(0):
            compare(*pair)

    def test_a_section_without_passages_equals_another(self) -> None:
        old, new = make_edition(state=EditionState.SUPERSEDED), make_edition()
        for edition in (old, new):
            make_section(make_monograph(edition))
        assert compare(old, new).changes == ()

    def test_tables_are_compared_by_what_could_be_read(self, pair: tuple[Edition, Edition]) -> None:
        table = make_held_back(make_section(make_monograph(pair[1], "Ibuprofen")))
        assert texts_of([table.section_id]) == {table.section_id: "⟦giữ lại⟧ Độ thanh thải Liều"}
