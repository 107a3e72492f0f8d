"""What compares two commits runs to its end on this one: `tests/nets.py`."""

import subprocess
import sys

import pytest

from jitstudio.help.samples import samples
from tests.support import ROOT

pytestmark = pytest.mark.bench


def recorded(folder, *parts):
    """Returns the texts that parts of the nets write, by file."""
    command = [sys.executable, ROOT / "tests/nets.py", folder, *parts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {path.stem: path.read_text("utf-8") for path in folder.rglob("*.txt")}


def test_commands_are_recorded_without_places_and_times(tmp_path):
    first, again = (
        recorded(tmp_path / name, "cli/build-broken", "cli/links") for name in ("first", "again")
    )
    assert first == again
    assert set(first) == {"build-broken", "build-broken-json", "links", "links-json"}
    assert '"file": "$ROOT/resources/samples/broken.cu"' in first["build-broken-json"]
    assert str(ROOT) not in "".join(first.values())


def test_a_window_is_recorded_with_all_samples(tmp_path):
    texts = recorded(tmp_path, "window")
    assert {f"sample-{sample.files[0].path.stem}" for sample in samples()} <= set(texts)
    assert "vector_add" in texts["sample-vector_add"]
    assert {"commands", "menus", "settings", "layouts", "kept-settings"} <= set(texts)


def test_windows_that_close_in_the_midst_complain_of_nothing(tmp_path):
    assert recorded(tmp_path, "closing") == {}
