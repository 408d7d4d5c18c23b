"""Installs peers, each into its own directory, apart from Duetime's environment."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

from bench.peers.catalogue import Peer
from duetime.bench.bench import Skipped


async def install(peer: Peer, where: Path) -> Path:
    """Installs a peer. Returns the interpreter that runs its driver."""
    if peer.language == "node":
        return await _node(peer, where / peer.name)
    return await python_with(where / peer.name, peer.packages)


async def python_with(directory: Path, packages: tuple[str, ...]) -> Path:
    """Creates a virtual environment with these packages. Returns its interpreter."""
    python = directory / "bin" / "python"
    if not _has(directory, packages):
        shutil.rmtree(directory, ignore_errors=True)
        await _run(sys.executable, "-m", "venv", str(directory))
        await _run(str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)
        _mark_installed(directory, packages)
    return python


def _has(directory: Path, packages: tuple[str, ...]) -> bool:
    """Returns whether exactly these packages are installed here."""
    marker = directory / "installed"
    return marker.exists() and marker.read_text() == " ".join(packages)


def _mark_installed(directory: Path, packages: tuple[str, ...]) -> None:
    (directory / "installed").write_text(" ".join(packages))


def _package(directory: Path) -> None:
    """Writes a package.json, so that npm does not look for one in a parent directory."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "package.json").write_text('{"private": true, "type": "module"}\n')


async def _node(peer: Peer, directory: Path) -> Path:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Skipped("node and npm are not installed.")
    if not _has(directory, peer.packages):
        _package(directory)
        await _run(npm, "install", "--no-fund", "--no-audit", "--silent", *peer.packages, where=directory)
        _mark_installed(directory, peer.packages)
    return Path(node)


async def _run(*command: str, where: Path | None = None) -> None:
    process = await asyncio.create_subprocess_exec(
        *command, cwd=where, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    if process.returncode:
        last = output.decode(errors="replace").strip().splitlines()[-1:] or ["it printed no error"]
        raise Skipped(f"it cannot be installed here: {last[0]}")
