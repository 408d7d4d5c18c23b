"""The page's types are those of the API's document."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from duetime.api.document.openapi import build_document
from duetime.api.table import TABLE

DASHBOARD = Path(__file__).parents[2] / "dashboard"
TYPES = DASHBOARD / "src" / "api" / "schema.d.ts"
WRITE = os.environ.get("DUETIME_PAGE_TYPES") == "1"
"""Whether to write the types instead of comparing them."""


def test_the_types_of_the_page_follow_the_document(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not (DASHBOARD / "node_modules" / "openapi-typescript").is_dir():
        pytest.skip("openapi-typescript is not installed (npm ci in dashboard/)")
    source, target = tmp_path / "openapi.json", TYPES if WRITE else tmp_path / "schema.d.ts"
    source.write_bytes(msgspec.json.encode(build_document(TABLE, "0")))
    subprocess.run([node, "scripts/types.mjs", source, target], cwd=DASHBOARD, check=True, timeout=120)
    how = "Write them again: DUETIME_PAGE_TYPES=1 pytest tests/page/test_types.py"
    assert target.read_text() == TYPES.read_text(), how
