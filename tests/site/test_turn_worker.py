"""Who takes questions: every worker, and one of questions alone where a model takes part in answering them."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import Settings

from chat.tasks import answer_turn
from duocthu_site.celery import app
from duocthu_site.supervisor import turn_workers
from duocthu_site.worker import options_for


def queues_of(kind: str) -> set[str]:
    options = options_for(kind)
    return set(options[options.index("--queues") + 1].split(","))


def test_a_worker_takes_everything_and_one_of_turns_questions_alone(settings: Settings) -> None:
    assert queues_of("") == {settings.CELERY_TASK_DEFAULT_QUEUE, settings.TURNS_QUEUE}
    assert queues_of("turns") == {settings.TURNS_QUEUE}
    assert str(settings.TURN_WORKERS) in options_for("turns")


def test_a_question_goes_to_the_queue_of_questions_and_an_ingest_does_not(settings: Settings) -> None:
    route = app.amqp.router.route
    assert route({}, answer_turn.name)["queue"].name == settings.TURNS_QUEUE
    assert route({}, "ingest.execute_run")["queue"].name == settings.CELERY_TASK_DEFAULT_QUEUE


@pytest.mark.parametrize(
    ("name", "value", "workers"),
    [
        ("ANSWER_PROVIDER", "disabled", 0),
        ("ANSWER_PROVIDER", "bedrock", 1),
        ("UNDERSTANDING_PROVIDER", "bedrock", 1),
        ("SUMMARY_PROVIDER", "bedrock", 1),
        ("EMBEDDING_PROVIDER", "bedrock", 0),
    ],
)
def test_the_supervisor_starts_one_of_them_only_where_a_model_answers(
    settings: Settings, name: str, value: str, workers: int
) -> None:
    setattr(settings, name, value)
    assert len(turn_workers()) == workers
