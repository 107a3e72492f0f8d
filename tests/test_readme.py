"""The README is one page, all that it links is there, and the changelog has this version."""

import re

from jitstudio import __version__
from tests.support import ROOT

TEXT = (ROOT / "README.md").read_text("utf-8")
_LARGEST = 90


def test_it_is_one_page_whose_links_lead_somewhere():
    assert len(TEXT.splitlines()) <= _LARGEST
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", TEXT)]
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_two_commands_are_those_that_ci_runs():
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    for command in ("python3 -m pip install . && jitstudio", "python3 -m pip install '.[test]' &&"):
        assert command in TEXT
    assert "-m pip install -q . && jitstudio" in ci
    assert "-m pip install -q '.[test]' && python3 -m pytest" in ci


def test_the_changelog_begins_with_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    versions = re.findall(r"^## (\S+)", changelog, re.M)
    assert versions[versions[0] == "Unreleased"] == __version__
