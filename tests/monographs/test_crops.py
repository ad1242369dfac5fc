"""Crops: which region shows a passage, that its boxes lie on the ink, and what happens when there is no picture."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest
from PIL import Image
from pytest_django.fixtures import Settings
from reportlab.pdfgen.canvas import Canvas

from monographs import crops
from monographs.crops import RenderFailed, SourceFileMissing, crop_png, regions_of, whole_page
from monographs.domain import Box

SIZES = {"1": [595.0, 842.0], "2": [595.0, 842.0]}
SHA = "a" * 64
LEFT = Box(1, 42, 100, 289, 112)
RIGHT = Box(1, 306, 100, 553, 112)


@pytest.fixture
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def pdf(data_dir: Path) -> Path:
    """Two pages; on the first a black bar exactly where LEFT says a line is printed."""
    path = data_dir / "editions" / f"{SHA}.pdf"
    path.parent.mkdir()
    canvas = Canvas(str(path), pagesize=(595, 842))
    canvas.rect(LEFT.x0, 842 - LEFT.y1, LEFT.x1 - LEFT.x0, LEFT.y1 - LEFT.y0, stroke=0, fill=1)
    canvas.showPage()
    canvas.showPage()
    canvas.save()
    return path


def test_region_is_the_column_with_context() -> None:
    (region,) = regions_of([LEFT], SIZES)
    assert region.page == 1
    assert region.x0 < LEFT.x0 < LEFT.x1 < region.x1 < 595 * 0.52
    assert region.y0 <= LEFT.y0 - 40
    assert region.y1 >= LEFT.y1 + 40
    assert region.lines == (LEFT,)


def test_lines_over_two_columns_make_two_regions_in_reading_order() -> None:
    first, second = regions_of([LEFT, Box(1, 42, 112, 289, 124), RIGHT], SIZES)
    assert len(first.lines) == 2
    assert (first.part, second.part) == (0, 1)
    assert second.x0 > first.x0


def test_lines_over_two_pages_make_a_region_on_each() -> None:
    assert [region.page for region in regions_of([RIGHT, Box(2, 42, 50, 289, 62)], SIZES)] == [1, 2]


def test_wide_box_takes_the_width_of_the_page() -> None:
    (region,) = regions_of([Box(1, 42, 100, 553, 300)], SIZES)
    assert region.width > 0.9 * 595


@pytest.mark.parametrize(
    "box",
    [Box(1, -5, 100, 200, 112), Box(1, 42, 830, 289, 850), Box(1, 42, 100, 700, 112), Box(1, 42, 112, 289, 112)],
    ids=["left of the page", "below the page", "right of the page", "empty"],
)
def test_impossible_box_is_not_drawn(box: Box) -> None:
    (region,) = regions_of([box], SIZES)
    assert region.marks == ()
    assert region.is_whole_page


def test_page_of_unknown_size_has_no_region() -> None:
    assert regions_of([Box(9, 42, 100, 289, 112)], SIZES) == ()
    assert whole_page(9, SIZES) is None


def test_marks_lie_inside_the_view_box() -> None:
    for region in regions_of([Box(1, 0.5, 0.5, 289, 12), Box(1, 306, 820, 594.5, 841.5)], SIZES):
        for mark in region.marks:
            assert float(mark.x) >= 0
            assert float(mark.y) >= 0
            assert float(mark.x) + float(mark.width) <= region.width + 0.1
            assert float(mark.y) + float(mark.height) <= region.height + 0.1


def test_picture_has_the_promised_size_and_the_mark_covers_the_ink(pdf: Path) -> None:
    (region,) = regions_of([LEFT], SIZES)
    picture = Image.open(io.BytesIO(crop_png(SHA, region))).convert("L")
    assert abs(picture.width - region.pixel_width) <= 2
    assert abs(picture.height - region.pixel_height) <= 2
    ink = picture.point(lambda value: 255 if value < 128 else 0).getbbox()
    assert ink is not None
    (mark,) = region.marks
    scale = region.scale
    assert float(mark.x) * scale <= ink[0] + 2
    assert float(mark.y) * scale <= ink[1] + 2
    assert (float(mark.x) + float(mark.width)) * scale >= ink[2] - 2
    assert (float(mark.y) + float(mark.height)) * scale >= ink[3] - 2
    assert abs(ink[0] / scale + region.x0 - LEFT.x0) < 1
    assert abs(ink[1] / scale + region.y0 - LEFT.y0) < 1


def test_second_request_is_read_from_disk(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (region,) = regions_of([LEFT], SIZES)
    first = crop_png(SHA, region)

    def refuse(*_: object) -> bytes:
        raise AssertionError("rendered twice")

    monkeypatch.setattr(crops, "_render", refuse)
    assert crop_png(SHA, region) == first


def test_cache_is_keyed_by_file_and_place(pdf: Path) -> None:
    (region,) = regions_of([LEFT], SIZES)
    (other,) = regions_of([RIGHT], SIZES)
    assert len({crops.crop_name(SHA, region), crops.crop_name(SHA, other), crops.crop_name("b" * 64, region)}) == 3


def test_cache_that_cannot_be_written_costs_nothing_but_time(pdf: Path, data_dir: Path) -> None:
    (data_dir / "crops").write_text("not a folder")
    (region,) = regions_of([LEFT], SIZES)
    assert crop_png(SHA, region).startswith(b"\x89PNG")


def test_many_readers_render_once(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (region,) = regions_of([LEFT], SIZES)
    calls: list[int] = []
    render = crops._render

    def counted(path: Path, wanted: crops.Region) -> bytes:
        calls.append(1)
        return render(path, wanted)

    monkeypatch.setattr(crops, "_render", counted)
    threads = [threading.Thread(target=crop_png, args=(SHA, region)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


def test_missing_file_is_told_apart(data_dir: Path) -> None:
    (region,) = regions_of([LEFT], SIZES)
    with pytest.raises(SourceFileMissing):
        crop_png(SHA, region)


def test_damaged_file_fails_with_an_error_and_leaves_no_cache(data_dir: Path) -> None:
    path = data_dir / "editions" / f"{SHA}.pdf"
    path.parent.mkdir()
    path.write_bytes(b"%PDF-1.7 nothing more")
    (region,) = regions_of([LEFT], SIZES)
    with pytest.raises(RenderFailed):
        crop_png(SHA, region)
    assert not list(data_dir.glob("crops/**/*.png"))


def test_page_of_another_size_is_refused(pdf: Path) -> None:
    (region,) = regions_of([LEFT], {"1": [612.0, 792.0]})
    with pytest.raises(RenderFailed):
        crop_png(SHA, region)


def test_slow_file_is_given_up(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crops, "TIMEOUT_SECONDS", 0.001)
    (region,) = regions_of([LEFT], SIZES)
    with pytest.raises(RenderFailed):
        crop_png(SHA, region)
