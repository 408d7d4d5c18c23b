"""Directories that only one user can enter. A link or a directory of another user in their place is refused.

Without these checks, a path that another user of the machine can predict (below /tmp, for example) could lead anywhere,
and a process of root's would give what is there to the database's user.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from pwd import struct_passwd

from duetime.model.errors import EmbeddedServerError

ROOT = 0


def make_private(path: Path, user: struct_passwd | None) -> None:
    """Create the directory if needed, for `user` or for the user of this process, and let no other user enter it.

    Raises `EmbeddedServerError` for a link, and for a directory of another user: it is left as it is.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        _require_directory(path)
    # What is checked and what is changed is one open directory, whatever the path leads to a moment later.
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        owner = os.fstat(directory).st_uid
        if owner not in {os.geteuid(), *([user.pw_uid] if user else [])}:
            raise EmbeddedServerError(f"{path} belongs to another user: choose another data directory.")
        if user:
            os.fchown(directory, user.pw_uid, user.pw_gid)
        os.fchmod(directory, 0o700)
    finally:
        os.close(directory)


def new_private(user: struct_passwd | None, longest: int) -> Path:
    """Create a directory under a short name that nobody can predict, for `user` or for the user of this process."""
    path = Path(tempfile.mkdtemp(prefix="duetime-"))
    if len(str(path)) >= longest:
        path.rmdir()
        raise EmbeddedServerError(
            f"The paths of the data directory and of the temporary directory {path.parent} are too long for a socket: "
            f"choose a data directory with a path below {longest} characters."
        )
    if user:
        os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)
    return path


def why_not_trusted(path: Path) -> str | None:
    """Returns why other users could put links or files of theirs into this directory's place; None if they cannot."""
    trusted = {os.geteuid(), ROOT}
    if path.lstat().st_uid not in trusted:
        return f"{path} is {'a link' if path.is_symlink() else 'a directory'} of another user"
    found = path.stat()
    if found.st_uid not in trusted:
        return f"{path} leads to a directory of another user"
    if found.st_mode & stat.S_IWOTH:
        return f"every user may write to {path}"
    return None


def _require_directory(path: Path) -> None:
    if path.is_symlink():
        raise EmbeddedServerError(f"{path} is a link: the database's files must lie in a directory of their own.")
    if not path.is_dir():
        raise EmbeddedServerError(f"{path} is not a directory: choose another data directory.")
