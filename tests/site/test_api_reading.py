"""What the API shows of one's own history and of the book: in order, in pages, found, masked, held back."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django.fixtures import Settings

from chat.models import Conversation
from monographs.domain import SectionKey
from monographs.models import Edition, EditionState, Section
from tests.factories import make_conversation, make_section
from tests.site.api_world import Program, World, make_api_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(settings: Settings, tmp_path: Path) -> World:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return make_api_world(tmp_path)


def test_history_is_the_askers_own_latest_first_found_without_accents_and_in_pages(world: World) -> None:
    path = reverse("api-v1:conversations")
    newer = make_conversation(world.conversation.owner, title="Bảo quản adrenalin")
    make_conversation("user:0", title="Bảo quản của người khác")
    told = world.mine.call("get", path).json()
    mine = [str(newer.pk), str(world.conversation.pk)]
    assert [found["conversation_id"] for found in told["conversations"]] == mine
    found = world.mine.call("get", f"{path}?q=bao+quan").json()
    assert ([each["conversation_id"] for each in found["conversations"]], found["total"]) == (mine[:1], 1)
    second = world.mine.call("get", f"{path}?limit=1&offset=1").json()
    assert ([each["conversation_id"] for each in second["conversations"]], second["total"]) == (mine[1:], 2)
    assert Program().call("get", path).json()["conversations"] == []


def test_conversation_has_its_turns_in_order_and_in_pages(world: World) -> None:
    path = reverse("api-v1:conversation", args=[world.conversation.pk])
    told = world.mine.call("get", path).json()
    both = [str(world.turn.pk), str(world.pending.pk)]
    assert [turn["turn_id"] for turn in told["turns"]] == both
    second = world.mine.call("get", f"{path}?limit=1&offset=1").json()
    assert ([turn["turn_id"] for turn in second["turns"]], second["total"]) == (both[1:], 2)


def test_title_and_comment_are_masked_and_deleting_is_for_good(world: World) -> None:
    path = reverse("api-v1:conversation", args=[world.conversation.pk])
    told = world.mine.call("patch", path, {"title": "Bệnh nhân 0912345678"}).json()
    assert "0912345678" not in told["title"]
    said = {"useful": False, "reason": "wrong_drug", "comment": "Gọi 0912345678"}
    shown = world.mine.call("put", reverse("api-v1:feedback", args=[world.turn.pk]), said).json()
    assert (shown["useful"], shown["reason"]) == (False, "wrong_drug")
    assert "0912345678" not in shown["comment"]
    assert world.mine.call("delete", path).status_code == 204
    assert not Conversation.objects.filter(pk=world.conversation.pk).exists()
    assert world.mine.call("get", path).status_code == 404


@pytest.mark.parametrize("title", ["", "   ", "\u200b", "a\x00", "a" * 121, None, 5])
def test_title_that_shows_nothing_or_too_much_is_refused(world: World, title: object) -> None:
    path = reverse("api-v1:conversation", args=[world.conversation.pk])
    response = world.mine.call("patch", path, {"title": title})
    assert response.status_code == 422
    assert [error["field"] for error in response.json()["errors"]] == ["body.title"]


def test_drugs_are_found_by_every_name_and_suggested_where_none_is(world: World) -> None:
    path = reverse("api-v1:drugs")
    found = world.mine.call("get", f"{path}?q=panadol").json()
    assert [(each["drug"]["drug_id"], each["matched"]) for each in found["found"]] == [("paracetamol", ["Panadol"])]
    near = world.mine.call("get", f"{path}?q=paracetamon").json()
    assert (near["total"], [each["drug"]["drug_id"] for each in near["suggestions"]]) == (0, ["paracetamol"])
    every = world.mine.call("get", f"{path}?limit=1&offset=1").json()
    assert (every["total"], [each["drug"]["name"] for each in every["found"]]) == (2, ["Paracetamol"])


def test_section_is_word_for_word_and_what_is_held_back_only_a_picture(world: World) -> None:
    path = reverse("api-v1:section-text", args=["paracetamol", world.section.anchor])
    passages = world.mine.call("get", path).json()["passages"]
    assert [passage["text"] for passage in passages] == ["Quá mẫn với paracetamol.", "Suy gan nặng.", ""]
    for passage in passages:
        picture = world.mine.call("get", passage["crop"])
        assert (picture.status_code, picture.headers["Content-Type"]) == (200, "image/png")
        assert picture.content.startswith(b"\x89PNG")
    again = world.mine.call("get", passages[-1]["crop"], If_None_Match=picture.headers["ETag"])
    assert again.status_code == 304


def test_replaced_edition_is_read_by_its_number_and_an_unpublished_one_is_not(world: World) -> None:
    path = reverse("api-v1:sections", args=["paracetamol"])
    Edition.objects.filter(pk=world.edition.pk).update(state=EditionState.SUPERSEDED)
    assert world.mine.call("get", path).json()["code"] == "no_edition"
    told = world.mine.call("get", f"{path}?edition={world.edition.pk}").json()
    assert told["edition"]["id"] == world.edition.pk
    Edition.objects.filter(pk=world.edition.pk).update(state=EditionState.READY)
    assert world.mine.call("get", f"{path}?edition={world.edition.pk}").status_code == 404


def test_unusual_section_is_listed_and_read_though_no_question_leads_to_it(world: World) -> None:
    key = SectionKey(world.section.key)
    unusual = make_section(world.section.monograph, key, "Chữ in.", heading="Ghi chú", anchor="ghi-chu")
    Section.objects.filter(pk=unusual.pk).update(key="")
    told = world.mine.call("get", reverse("api-v1:sections", args=["paracetamol"])).json()
    assert [section["key"] for section in told["sections"]] == ["chong_chi_dinh", ""]
    text = world.mine.call("get", reverse("api-v1:section-text", args=["paracetamol", "ghi-chu"])).json()
    assert [passage["text"] for passage in text["passages"]] == ["Chữ in."]
