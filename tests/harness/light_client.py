"""The light client as users install it: its wheel in a virtual environment that has only what the wheel asks for."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "packages/client"


def install_light_client(directory: Path) -> Path:
    """Makes a virtual environment, builds the wheel and installs it there. Returns the environment's Python.

    What the wheel depends on is linked from this environment, so that a test needs no network.
    """
    wheels, venv = directory / "wheels", directory / "venv"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    offline = ["--no-index", "--no-deps"]
    _run(*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", str(wheels), str(PACKAGE))
    _run(sys.executable, "-m", "venv", "--without-pip", str(venv))
    site = site_packages(venv)
    _run(*pip, "install", *offline, "--target", str(site), *map(str, wheels.glob("*.whl")))
    (own,) = Distribution.discover(name="duetime-client", path=[str(site)])
    for name in sorted(_needs(own.requires or [], set())):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            (site / top).symlink_to(str(found.locate_file(top)))
    return venv / "bin/python"


def site_packages(venv: Path) -> Path:
    """Returns where a virtual environment has its packages."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(venv), "platbase": str(venv)}))


def installed_bytes(site: Path) -> int:
    """Returns the size of all files that are installed or linked there."""
    tops = [top.resolve() for top in site.iterdir()]
    return sum(file.stat().st_size for top in tops for file in (top, *top.rglob("*")) if file.is_file())


def _needs(requirements: list[str], known: set[str]) -> set[str]:
    for one in map(Requirement, requirements):
        name = canonicalize_name(one.name)
        if (one.marker is None or one.marker.evaluate({"extra": ""})) and name not in known:
            known.add(name)
            _needs(distribution(name).requires or [], known)
    return known


def _run(*command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
