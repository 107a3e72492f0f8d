"""What compares two commits runs to its end on this one: `tests/nets.py`."""

import subprocess
import sys

import pytest

from jitstudio.help.samples import samples
from tests.support import ROOT

pytestmark = pytest.mark.bench


def recorded(folder, part):
    """Returns the texts that a part of the nets writes, by file."""
    command = [sys.executable, ROOT / "tests/nets.py", folder, part]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {path.stem: path.read_text("utf-8") for path in folder.rglob("*.txt")}


def test_commands_are_recorded_without_places(tmp_path):
    texts = recorded(tmp_path, "cli/build-broken")
    assert set(texts) == {"build-broken", "build-broken-json"}
    assert '"file": "$ROOT/resources/samples/broken.cu"' in texts["build-broken-json"]
    assert str(ROOT) not in "".join(texts.values())


def test_a_window_is_recorded_with_all_samples(tmp_path):
    texts = recorded(tmp_path, "window")
    assert {f"sample-{sample.files[0].path.stem}" for sample in samples()} <= set(texts)
    assert "vector_add" in texts["sample-vector_add"]
    assert {"commands", "menus", "settings", "layouts", "kept-settings"} <= set(texts)


def test_windows_that_close_in_the_midst_complain_of_nothing(tmp_path):
    assert recorded(tmp_path, "closing") == {}
