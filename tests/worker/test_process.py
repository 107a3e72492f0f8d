"""A worker process is of the version that starts it."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.support import ROOT

pytestmark = pytest.mark.slow

_TELLING = """
import random, sys, jitstudio
def main(memory_limit):
    print(jitstudio.__file__, file=sys.stderr)
"""
_ASKING = """
import sys
sys.path.insert(0, {folder!r})
import jitstudio
sys.path.remove({folder!r})
from jitstudio.worker.process import ChildProcess
child = ChildProcess(0, "jitstudio.telling")
while child.alive:
    pass
print(child.reap()[1])
"""


def test_children_import_the_copy_of_their_parent_and_nothing_beside_it(tmp_path):
    """As in a checkout while another version is installed."""
    copy = tmp_path / "jitstudio"
    shutil.copytree(ROOT / "jitstudio", copy, ignore=shutil.ignore_patterns("__pycache__", "gui"))
    (copy / "telling.py").write_text(_TELLING)
    (tmp_path / "random.py").write_text("raise SystemExit('a file beside the package')")
    words = [sys.executable, "-P", "-c", _ASKING.format(folder=str(tmp_path))]
    ran = subprocess.run(words, capture_output=True, text=True, env=os.environ, check=False)
    assert ran.stdout.strip() == str(copy / "__init__.py"), ran
