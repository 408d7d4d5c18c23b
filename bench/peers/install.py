"""Installing peers by name, each into a directory of its own; nothing of ours is touched."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

from bench.peers.catalogue import Peer
from duetime.bench.bench import Skipped


async def installed(peer: Peer, where: Path) -> Path:
    """The interpreter that runs the peer's driver."""
    if peer.language == "node":
        return await _node(peer, where / peer.name)
    return await python_with(where / peer.name, peer.packages)


async def python_with(directory: Path, packages: tuple[str, ...]) -> Path:
    """A virtual environment with some packages."""
    python = directory / "bin" / "python"
    if not _has(directory, packages):
        shutil.rmtree(directory, ignore_errors=True)
        await _run(sys.executable, "-m", "venv", str(directory))
        await _run(str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)
        _keep(directory, packages)
    return python


def _has(directory: Path, packages: tuple[str, ...]) -> bool:
    """Whether just these packages were installed here to the end."""
    said = directory / "installed"
    return said.exists() and said.read_text() == " ".join(packages)


def _keep(directory: Path, packages: tuple[str, ...]) -> None:
    (directory / "installed").write_text(" ".join(packages))


def _package(directory: Path) -> None:
    """With a package.json of its own, npm does not look for one further up."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "package.json").write_text('{"private": true, "type": "module"}\n')


async def _node(peer: Peer, directory: Path) -> Path:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Skipped("there is no node and npm here.")
    if not _has(directory, peer.packages):
        _package(directory)
        await _run(npm, "install", "--no-fund", "--no-audit", "--silent", *peer.packages, where=directory)
        _keep(directory, peer.packages)
    return Path(node)


async def _run(*command: str, where: Path | None = None) -> None:
    process = await asyncio.create_subprocess_exec(
        *command, cwd=where, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    if process.returncode:
        last = output.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise Skipped(f"it cannot be installed here: {last[0]}")
