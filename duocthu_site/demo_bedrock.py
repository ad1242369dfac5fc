"""Everything that serves, with drafts and verdicts of a local server in place of Amazon Bedrock: no account, no model.

The server is a thread of this process, so that it ends when the supervisor does, however that ends.
"""

from __future__ import annotations

import os
import sys

from chat.llm.local_server import LocalBedrock
from duocthu_site import supervisor

NOTE = (
    "Bản trình diễn: không có mô hình ngôn ngữ nào phía sau. Mỗi ý do một máy chủ tại chỗ chép lại từ sách, rồi đi qua"
    " đúng các bước đối chiếu của một câu trả lời do mô hình soạn."
)
MODEL = "demo.no-model"
# A database of its own: what was demonstrated never stands among real answers.
DATA_DIR = "var/demo-bedrock"
# Nothing of a real account is used, not even to sign what never leaves this machine.
_OF_AN_ACCOUNT = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK")


def demo_environment(url: str) -> dict[str, str]:
    """The settings of a demonstration whose provider is at this address."""
    return {
        "ANSWER_PROVIDER": "bedrock",
        "BEDROCK_ENDPOINT_URL": url,
        "BEDROCK_REGION": "us-east-1",
        "BEDROCK_ANSWER_MODEL": MODEL,
        "PROVIDER_NOTE": NOTE,
        "DUOCTHU_DATA_DIR": os.environ.get("DUOCTHU_DATA_DIR", DATA_DIR),
        "AWS_ACCESS_KEY_ID": "demo",
        "AWS_SECRET_ACCESS_KEY": "demo",
    }


def main() -> int:
    """Run until stopped, as the supervisor does."""
    with LocalBedrock() as server:
        for name in _OF_AN_ACCOUNT:
            os.environ.pop(name, None)
        os.environ.update(demo_environment(server.url))
        supervisor.say(NOTE)
        return supervisor.main()


if __name__ == "__main__":
    sys.exit(main())
