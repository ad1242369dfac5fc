"""The examples of docs/api.md, run as they are printed, against a live site."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from chat.api.problems import PROBLEMS
from chat.models import Conversation, Turn
from tests.paths import ROOT
from tests.site.api_world import make_api_world, operations

GUIDE = (ROOT / "docs" / "api.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_every_example_does_what_it_says(live_server: LiveServer, settings: Settings, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        message = "no curl: the examples of docs/api.md did not run"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    settings.DUOCTHU_DATA_DIR = tmp_path
    world = make_api_world(tmp_path)
    values = {
        "DUOCTHU": live_server.url,
        "TOKEN": world.mine.token,
        "TURN": str(world.turn.pk),
        "CONVERSATION": str(world.conversation.pk),
        "PASSAGE": str(world.passage.pk),
    }
    for block in BLOCKS:
        ran = subprocess.run(
            ["bash", "-euc", block],
            env={"PATH": os.environ["PATH"], "no_proxy": "*", **values},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.returncode == 0, (block, ran.stdout, ran.stderr)
    assert (tmp_path / "crop.png").read_bytes().startswith(b"\x89PNG")
    assert not Conversation.objects.filter(pk=world.conversation.pk).exists()
    assert Turn.objects.filter(correlation_id="don-thuoc-1234").count() == 1


def test_guide_shows_every_operation_but_cancelling_and_tells_every_code() -> None:
    shown = "\n".join(BLOCKS).replace("$TURN", "{turn_id}").replace("$CONVERSATION", "{conversation_id}")
    shown = shown.replace("$PASSAGE", "{passage_id}")
    shown = shown.replace("drugs/paracetamol/sections/chong-chi-dinh", "drugs/{drug_id}/sections/{section}")
    shown = shown.replace("drugs/paracetamol/sections", "drugs/{drug_id}/sections")
    lacking = {path for _, path in operations().values() if not re.search(rf'{re.escape(path)}["?]', shown)}
    assert lacking == {"/api/v1/turns/{turn_id}/cancel"}
    assert [code for code in PROBLEMS if f"`{code}`" not in GUIDE] == []
