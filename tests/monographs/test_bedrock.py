"""Vectors and orders made by Bedrock, through boto3 over real HTTP; where it fails, words alone and the same order."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest
from django.conf import settings as settings_of_django
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from chat.llm.choose import usages_of
from chat.llm.copied_replies import copied_reply
from chat.llm.domain import Fault, Purpose
from chat.llm.local_server import LocalBedrock
from chat.llm.local_steps import RawBody, Seen, Step
from ingest.indexing import index_for
from ingest.tasks import index_edition_task
from monographs.bedrock import Backoff, BedrockError, Service, client_of, current_place
from monographs.bedrock_embedder import BedrockEmbedder, Patience
from monographs.bedrock_reranker import BedrockReranker
from monographs.corpus import corpus_of
from monographs.domain import SectionKey
from monographs.embedder import current_embedder
from monographs.embedding_models import EmbeddingError, embedding_model, model_name
from monographs.models import Embedding
from monographs.passage_search import rank_passages
from monographs.provider_calls import CallKind, collect_calls
from monographs.reranking import MOST_READ, rerank
from tests.sample_edition import publish_sample

V3, V4, TITAN = "cohere.embed-multilingual-v3", "cohere.embed-v4:0", "amazon.titan-embed-text-v2:0"
AT_ONCE = Backoff(sleep=lambda _seconds: None, between=lambda _least, most: 0.0)
TROUBLES = [
    Fault.TIMEOUT, Fault.THROTTLED, Fault.REFUSED, Fault.SERVER_ERROR, Fault.UNREACHABLE, Fault.MALFORMED,
    Fault.TRUNCATED, Fault.WRONG_SCHEMA, Fault.EMPTY, Fault.GUARDRAIL,
]  # fmt: skip


def embedder_of(model_id: str, *, dimension: int = 0, seconds: float = 5.0) -> BedrockEmbedder:
    patience = Patience(question=seconds, passages=seconds, backoff=AT_ONCE)
    client = client_of(Service.RUNTIME, current_place())
    return BedrockEmbedder(client, model_id, dimension=dimension, patience=patience)


# --- what is asked ---------------------------------------------------------------------------------------------


def test_cohere_is_told_which_is_the_question(local_bedrock: LocalBedrock) -> None:
    embedder = embedder_of(V3)
    embedder.embed_query("đau đầu")
    embedder.embed_passages(["Giảm đau.", "Hạ sốt."])
    question, passages = [seen.body for seen in local_bedrock.seen]
    assert (question["texts"], question["input_type"]) == (["đau đầu"], "search_query")
    assert (passages["texts"], passages["input_type"]) == (["Giảm đau.", "Hạ sốt."], "search_document")
    assert question["embedding_types"] == ["float"] and "output_dimension" not in question


def test_cohere_gets_96_texts_a_call_and_their_order_is_kept(local_bedrock: LocalBedrock) -> None:
    def numbered(seen: Seen) -> dict[str, object]:
        texts: Any = seen.body["texts"]
        return {"embeddings": [[float(text)] + [0.0] * 1023 for text in texts]}

    local_bedrock.script(V3, numbered)
    vectors = embedder_of(V3).embed_passages([str(number) for number in range(200)])
    assert [vector[0] for vector in vectors] == list(range(200))
    asked: Any = [seen.body["texts"] for seen in local_bedrock.seen]
    assert [len(texts) for texts in asked] == [96, 96, 8]


def test_titan_gets_one_text_a_call(local_bedrock: LocalBedrock) -> None:
    vectors = embedder_of(TITAN, dimension=256).embed_passages(["Giảm đau.", "Hạ sốt."])
    assert [len(vector) for vector in vectors] == [256, 256]
    assert [seen.body["inputText"] for seen in local_bedrock.seen] == ["Giảm đau.", "Hạ sốt."]
    assert all(seen.body["dimensions"] == 256 and seen.body["normalize"] is True for seen in local_bedrock.seen)


@pytest.mark.parametrize(("model_id", "key", "longest"), [(V3, "texts", 2048), (TITAN, "inputText", 20_000)])
def test_a_text_longer_than_the_model_takes_is_cut(
    local_bedrock: LocalBedrock, model_id: str, key: str, longest: int
) -> None:
    embedder_of(model_id).embed_query("ă" * 30_000)
    sent: Any = local_bedrock.seen[0].body[key]
    assert len(sent if isinstance(sent, str) else sent[0]) == longest


@pytest.mark.parametrize(
    ("model_id", "dimension", "space"),
    [
        pytest.param(V3, 0, "bedrock-cohere.embed-multilingual-v3-1024", id="v3"),
        pytest.param(V4, 0, "bedrock-cohere.embed-v4:0-1536", id="v4"),
        pytest.param(V4, 256, "bedrock-cohere.embed-v4:0-256", id="v4-small"),
        pytest.param("global." + V4, 256, "bedrock-cohere.embed-v4:0-256", id="same-space-in-every-region"),
        pytest.param(
            "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu." + V4,
            0,
            "bedrock-cohere.embed-v4:0-1536",
            id="arn",
        ),
        pytest.param(TITAN, 0, "bedrock-amazon.titan-embed-text-v2:0-1024", id="titan"),
    ],
)
def test_a_space_names_the_model_and_the_dimension(
    local_bedrock: LocalBedrock, model_id: str, dimension: int, space: str
) -> None:
    embedder = embedder_of(model_id, dimension=dimension)
    assert embedder.space == space and len(space) <= 80
    assert len(embedder.embed_query("đau")) == int(space.rpartition("-")[2])


@pytest.mark.parametrize("model_id", ["", "cohere.embed-v5", "example.answer", "cohere.embed-multilingual-v3-preview"])
def test_a_model_whose_requests_are_not_known_is_none(model_id: str) -> None:
    assert embedding_model(model_id) is None and model_name(model_id) == ""


# --- what comes back -------------------------------------------------------------------------------------------


def _vectors(*vectors: list[object]) -> Step:
    return {"embeddings": {"float": list(vectors)}}


BAD_VECTORS = [
    pytest.param(_vectors(), id="none"),
    pytest.param(_vectors([0.1] * 1024, [0.1] * 1024), id="too-many"),
    pytest.param(_vectors([0.1] * 1023), id="too-short"),
    pytest.param(_vectors([*[0.1] * 1023, "0.1"]), id="a-string"),
    pytest.param(_vectors([*[0.1] * 1023, None]), id="a-null"),
    pytest.param(_vectors([*[0.1] * 1023, True]), id="a-flag"),
    pytest.param(_vectors([*[0.1] * 1023, math.nan]), id="no-number"),
    pytest.param({"embeddings": "0.1"}, id="a-text"),
    pytest.param({"embeddings": {"int8": [[1] * 1024]}}, id="another-type"),
    pytest.param({}, id="nothing"),
    pytest.param(RawBody(b"[]"), id="a-list"),
    pytest.param(RawBody(b""), id="no-body"),
]


@pytest.mark.parametrize("step", BAD_VECTORS)
def test_what_is_no_vector_of_each_text_is_refused(local_bedrock: LocalBedrock, step: Step) -> None:
    local_bedrock.script(V3, step)
    with collect_calls() as calls, pytest.raises(EmbeddingError):
        embedder_of(V3).embed_query("đau")
    assert [(call.kind, call.trouble) for call in calls] == [(CallKind.EMBED, "malformed")]


@pytest.mark.parametrize("fault", TROUBLES)
def test_every_trouble_is_an_error_within_the_time(local_bedrock: LocalBedrock, fault: Fault) -> None:
    local_bedrock.script(V3, fault)
    begun = time.monotonic()
    with pytest.raises(EmbeddingError):
        embedder_of(V3, seconds=0.5).embed_query("đau")
    assert time.monotonic() - begun < 3


def test_throttled_passages_are_tried_again(local_bedrock: LocalBedrock) -> None:
    local_bedrock.script(V3, Fault.THROTTLED, Fault.THROTTLED, {"embeddings": [[0.5] * 1024]})
    with collect_calls() as calls:
        assert embedder_of(V3).embed_passages(["Giảm đau."]) == [[0.5] * 1024]
    assert [call.attempts for call in calls] == [3]


def test_a_call_is_kept_with_its_tokens_and_time(local_bedrock: LocalBedrock) -> None:
    with collect_calls() as calls:
        embedder_of(V3).embed_query("đau")
    (call,) = calls
    assert (call.kind, call.model_id, call.tokens, call.attempts, call.trouble) == (CallKind.EMBED, V3, 7, 1, "")
    assert call.ms > 0


def test_calls_outside_are_kept_by_nobody(local_bedrock: LocalBedrock) -> None:
    with collect_calls() as calls:
        pass
    embedder_of(V3).embed_query("đau")
    assert calls == []


def test_a_turn_that_has_less_time_gives_less(local_bedrock: LocalBedrock) -> None:
    local_bedrock.script(V3, Fault.TIMEOUT)
    begun = time.monotonic()
    with collect_calls(lambda: 0.3), pytest.raises(EmbeddingError):
        embedder_of(V3, seconds=20.0).embed_query("đau")
    with collect_calls(lambda: 0.0), pytest.raises(EmbeddingError):
        embedder_of(V3, seconds=20.0).embed_query("đau")
    assert time.monotonic() - begun < 3
    assert len(local_bedrock.seen) == 1, "without any time nobody is asked"


# --- a question ------------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("fault", TROUBLES)
def test_a_question_without_a_vector_is_ranked_by_words_in_time_and_told(
    local_bedrock: LocalBedrock, settings: Settings, caplog: pytest.LogCaptureFixture, fault: Fault
) -> None:
    corpus = corpus_of(publish_sample(("PARACETAMOL",)))
    by_words = rank_passages("hạ sốt", corpus, sections=tuple(SectionKey))
    settings.EMBEDDING_PROVIDER = "bedrock"
    settings.BEDROCK_QUESTION_SECONDS = 1
    local_bedrock.script(Purpose.EMBED, fault)
    begun = time.monotonic()
    with collect_calls() as calls:
        assert rank_passages("hạ sốt", corpus, sections=tuple(SectionKey)) == by_words != ()
    assert time.monotonic() - begun < 4
    assert "question_not_embedded" in caplog.text and "hạ sốt" not in caplog.text
    (usage,) = usages_of(calls)
    assert usage.purpose is Purpose.EMBED and usage.fault is not None


@pytest.mark.django_db
def test_passages_are_ranked_by_vectors_of_the_same_space(local_bedrock: LocalBedrock, settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER = "bedrock"
    edition = publish_sample(("PARACETAMOL", "METFORMIN"))
    while index_for(60):
        pass
    embedder = current_embedder()
    assert embedder is not None and set(Embedding.objects.values_list("space", flat=True)) == {embedder.space}
    local_bedrock.seen.clear()
    assert rank_passages("hạ sốt", corpus_of(edition), sections=[SectionKey.CHI_DINH], limit=1)
    assert [seen.body["input_type"] for seen in local_bedrock.seen] == ["search_query"]


# --- passages in the background --------------------------------------------------------------------------------


@pytest.fixture
def titan(local_bedrock: LocalBedrock, settings: Settings) -> LocalBedrock:
    """A published edition whose texts are asked for one by one."""
    settings.EMBEDDING_PROVIDER = "bedrock"
    settings.BEDROCK_EMBEDDING_MODEL = TITAN
    publish_sample()
    return local_bedrock


def texts_asked(server: LocalBedrock) -> list[object]:
    return [seen.body["inputText"] for seen in server.seen]


@pytest.mark.django_db
def test_work_that_failed_goes_on_where_it_ended(titan: LocalBedrock) -> None:
    titan.script(TITAN, *[copied_reply] * 20, Fault.REFUSED)
    with pytest.raises(EmbeddingError):
        index_for(60)
    kept = Embedding.objects.count()
    assert kept == 16, "a batch that was whole is kept, the one that failed is not"
    titan.script(TITAN, copied_reply)
    while index_for(60):
        pass
    assert Embedding.objects.count() > 20
    asked = texts_asked(titan)
    assert len(asked) == Embedding.objects.count() + 5, "what failed and the four before it are asked for again"


@pytest.mark.django_db
def test_the_task_goes_on_after_a_pause_until_all_is_embedded(titan: LocalBedrock) -> None:
    titan.script(TITAN, Fault.SERVER_ERROR, Fault.UNREACHABLE, copied_reply)
    index_edition_task()
    assert Embedding.objects.count() == len(set(map(str, texts_asked(titan)))) > 20


@pytest.mark.django_db
def test_the_task_pauses_longer_each_time_and_ends(
    titan: LocalBedrock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    planned: list[tuple[int, float]] = []

    def plan(arguments: tuple[int], *, countdown: float) -> None:
        planned.append((*arguments, countdown))

    monkeypatch.setattr(index_edition_task, "apply_async", plan)
    titan.script(TITAN, Fault.REFUSED)
    for failures in (0, 1, 2, 6, 20):
        index_edition_task(failures)
    assert planned == [(1, 5), (2, 10), (3, 20), (7, 200)]
    assert max(pause for _, pause in planned) < settings_of_django.TASK_VISIBILITY_SECONDS
    assert caplog.text.count("indexing_paused") == 5


@pytest.mark.django_db
def test_the_command_says_what_failed_and_that_it_can_be_said_again(titan: LocalBedrock) -> None:
    titan.script(TITAN, Fault.REFUSED)
    with pytest.raises(CommandError, match=r"refused.*chạy lại lệnh này"):
        call_command("index_edition")


# --- rerank ----------------------------------------------------------------------------------------------------

TEXTS = ["Bảo quản dưới 30 °C.", "Giảm đau.", "Hạ sốt, giảm đau."]


def test_nobody_is_asked_where_no_reranker_is_configured(local_bedrock: LocalBedrock) -> None:
    assert rerank("hạ sốt", TEXTS) == (0, 1, 2)
    assert local_bedrock.seen == []


@pytest.mark.parametrize(("question", "texts"), [("", TEXTS), ("  ", TEXTS), ("hạ sốt", []), ("hạ sốt", ["Một."])])
def test_nobody_is_asked_where_there_is_nothing_to_order(
    local_bedrock: LocalBedrock, settings: Settings, question: str, texts: list[str]
) -> None:
    settings.RERANK_PROVIDER = "bedrock"
    assert rerank(question, texts) == tuple(range(len(texts)))
    assert local_bedrock.seen == []


def test_passages_are_ordered_as_the_model_says(local_bedrock: LocalBedrock, settings: Settings) -> None:
    settings.RERANK_PROVIDER = "bedrock"
    with collect_calls() as calls:
        assert rerank("hạ sốt", TEXTS) == (2, 0, 1)
    (seen,) = local_bedrock.seen
    assert seen.model_id == "arn:aws:bedrock:ap-southeast-1::foundation-model/cohere.rerank-v3-5:0"
    assert [call.kind for call in calls] == [CallKind.RERANK]
    assert "AWS4-HMAC-SHA256" in seen.headers["authorization"]


def test_an_order_that_leaves_some_out_has_them_behind(local_bedrock: LocalBedrock, settings: Settings) -> None:
    settings.RERANK_PROVIDER = "bedrock"
    local_bedrock.script(Purpose.RERANK, {"results": [{"index": 1, "relevanceScore": 0.9}]})
    assert rerank("hạ sốt", TEXTS) == (1, 0, 2)


def test_only_the_first_passages_are_read(local_bedrock: LocalBedrock, settings: Settings) -> None:
    settings.RERANK_PROVIDER = "bedrock"
    many = [f"Đoạn {number}." for number in range(MOST_READ + 20)]
    assert sorted(rerank("đoạn", many)) == list(range(len(many)))
    sources: Any = local_bedrock.seen[0].body["sources"]
    assert len(sources) == MOST_READ


WRONG_PLACES = [
    pytest.param([{"index": 3, "relevanceScore": 1.0}], id="outside"),
    pytest.param([{"index": -1, "relevanceScore": 1.0}], id="before"),
    pytest.param([{"index": 0, "relevanceScore": 1.0}] * 2, id="twice"),
    pytest.param([{"relevanceScore": 1.0}], id="no-place"),
]


@pytest.mark.parametrize("results", WRONG_PLACES)
def test_places_that_are_none_leave_the_order_as_it_was(
    local_bedrock: LocalBedrock, settings: Settings, caplog: pytest.LogCaptureFixture, results: list[object]
) -> None:
    settings.RERANK_PROVIDER = "bedrock"
    local_bedrock.script(Purpose.RERANK, {"results": results})
    assert rerank("hạ sốt", TEXTS) == (0, 1, 2)
    assert "rerank_failed" in caplog.text


@pytest.mark.parametrize("fault", [fault for fault in TROUBLES if fault is not Fault.TIMEOUT])
def test_every_trouble_leaves_the_order_as_it_was(
    local_bedrock: LocalBedrock, settings: Settings, caplog: pytest.LogCaptureFixture, fault: Fault
) -> None:
    settings.RERANK_PROVIDER = "bedrock"
    local_bedrock.script(Purpose.RERANK, fault)
    with collect_calls() as calls:
        assert rerank("hạ sốt", TEXTS) == (0, 1, 2)
    assert "rerank_failed" in caplog.text and "hạ sốt" not in caplog.text
    assert [bool(call.trouble) for call in calls] == [True]


def test_a_reranker_that_is_held_ends_in_time(local_bedrock: LocalBedrock) -> None:
    local_bedrock.script(Purpose.RERANK, Fault.TIMEOUT)
    reranker = BedrockReranker(client_of(Service.AGENT_RUNTIME, current_place()), "arn:a", seconds=0.3)
    begun = time.monotonic()
    with pytest.raises(BedrockError):
        reranker.order("hạ sốt", TEXTS)
    assert time.monotonic() - begun < 3
