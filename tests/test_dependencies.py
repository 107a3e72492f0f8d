"""What is installed: bounds for each dependency, and its licence in the manual."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DEPENDENCIES = [Requirement(text) for text in PROJECT["dependencies"]]
OPTIONAL = PROJECT["optional-dependencies"]
LICENCES = (ROOT / "resources" / "help" / "licences.md").read_text()


def needed(requirement, extra=""):
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def installed(requirements, found=None):
    """The canonical names of all that these bring, by what is installed here."""
    found = {} if found is None else found
    for requirement in requirements:
        for extra in ("", *requirement.extras):
            name = canonicalize_name(requirement.name)
            if (name, extra) in found:
                continue
            try:
                about = distribution(name)
            except PackageNotFoundError:
                pytest.skip(f"{name} is not installed")
            found[name, extra] = about
            below = [Requirement(text) for text in about.requires or ()]
            installed([one for one in below if needed(one, extra)], found)
    return found


@pytest.mark.parametrize(
    "requirement",
    [*DEPENDENCIES, *(Requirement(text) for text in OPTIONAL["cluster"] + OPTIONAL["test"])],
    ids=str,
)
def test_each_dependency_has_a_lower_and_an_upper_bound(requirement):
    if requirement.name == PROJECT["name"]:
        return
    assert {part.operator for part in requirement.specifier} == {">=", "<"}


@pytest.mark.slow
def test_the_lowest_versions_are_those_of_the_project():
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "lowest.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lowest = dict(line.split("==") for line in done.stdout.split())
    assert {r.name for r in DEPENDENCIES if needed(r)} <= set(lowest)
    for requirement in (r for r in DEPENDENCIES if needed(r)):
        assert requirement.specifier.contains(lowest[requirement.name])


def test_all_that_is_installed_has_its_licence_in_the_manual():
    rows = [row for row in LICENCES.splitlines() if row.startswith("| ")]
    for (name, _), about in installed([r for r in DEPENDENCIES if needed(r)]).items():
        pattern = rf"\b{name.replace('-', '[-_]')}(?![-_\w])"
        (row,) = [row for row in rows if re.search(pattern, row.partition(" | ")[2], re.I)]
        licence = about.metadata.get("License-Expression") or about.metadata.get("License") or ""
        if "NVIDIA" in licence:
            assert "NVIDIA" in row, name
        for word in ("LGPL", "Apache", "BSD", "MIT", "ublic domain"):
            assert word not in licence or word.lower() in row.lower(), name


def test_nothing_is_installed_that_is_never_used():
    names = {name for name, _ in installed([r for r in DEPENDENCIES if needed(r)])}
    assert "nvidia-cufile" not in names
    assert {name for name in names if name.startswith("nvidia-")} == {
        "nvidia-cuda-cuobjdump",
        "nvidia-cuda-nvdisasm",
        "nvidia-cuda-nvrtc",
        "nvidia-nvfatbin",
        "nvidia-nvjitlink",
        "nvidia-nvvm",
    }
