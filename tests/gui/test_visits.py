"""Every pane shows at each visit what it has shown at first; see `tests/visit_nets.py`."""

import pytest

from jitstudio.gui.state import build_settings
from tests.support import QUICK_ARCH
from tests.visit_nets import visit


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.timeout(600)
def test_a_pane_that_is_come_back_to_is_as_at_first(qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(build_settings, "DEFAULT_ARCH", QUICK_ARCH)
    assert visit(qapp, tmp_path, zooms=(1.0,), restarted=("library", "launch")) == []


@pytest.mark.bench
@pytest.mark.tools
def test_also_at_another_zoom_and_after_a_change_of_zoom(qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(build_settings, "DEFAULT_ARCH", QUICK_ARCH)
    assert visit(qapp, tmp_path) == []
