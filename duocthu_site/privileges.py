"""PostgreSQL refuses to run as root: how root runs it all the same, as nobody."""

from __future__ import annotations

import functools
import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duocthu_site.cluster import EmbeddedServerError

UNPRIVILEGED_USER = "nobody"


@dataclass(frozen=True, slots=True)
class Launcher:
    """How to run a server binary.

    prefix: words put before the command; user, group: the ids to drop to, None for no change. The files of the
    server must belong to owner.
    """

    prefix: tuple[str, ...] = ()
    user: int | None = None
    group: int | None = None

    @property
    def owner(self) -> tuple[int, int]:
        """User and group id that the server's files belong to, as seen from here."""
        return (os.geteuid() if self.user is None else self.user, os.getegid() if self.group is None else self.group)

    def run(self, command: Sequence[str | Path], **kwargs: Any) -> subprocess.CompletedProcess[str]:
        """Run to the end, unprivileged."""
        if self.user is not None:
            kwargs |= {"user": self.user, "group": self.group, "extra_groups": []}
        try:
            return subprocess.run([*self.prefix, *map(str, command)], text=True, check=False, **kwargs)
        except PermissionError as error:
            raise EmbeddedServerError(
                f"PostgreSQL không chạy dưới quyền root, và {UNPRIVILEGED_USER} không đọc được {command[0]}: hãy chạy"
                " bằng tài khoản thường hoặc đặt mã nguồn ở nơi ai cũng đọc được.",
                f"PostgreSQL does not run as root, and {UNPRIVILEGED_USER} cannot reach {command[0]}: run as a normal"
                " user, or keep the program where everybody can read it.",
            ) from error

    def take_over(self, path: Path) -> None:
        """Make path, with everything below it, belong to the owner."""
        uid, gid = self.owner
        if path.lstat().st_uid == uid:
            return
        for entry in [path, *path.rglob("*")]:
            os.chown(entry, uid, gid, follow_symlinks=False)


@functools.cache
def choose_launcher() -> Launcher:
    """No change for a normal user; for root a user namespace, and where that is refused another user id.

    In a namespace the process still has root's rights over files, so binaries and data under root's own home
    stay reachable.
    """
    if os.geteuid() != 0:
        return Launcher()
    nobody = pwd.getpwnam(UNPRIVILEGED_USER)
    prefix = namespace_prefix(nobody.pw_uid, nobody.pw_gid)
    if prefix and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
        return Launcher(prefix=prefix)
    return Launcher(user=nobody.pw_uid, group=nobody.pw_gid)


def namespace_prefix(uid: int, gid: int) -> tuple[str, ...]:
    """The words that run a command as uid in a user namespace; none where the tool is missing."""
    tool = shutil.which("unshare")
    return (tool, "--user", f"--map-user={uid}", f"--map-group={gid}") if tool else ()
