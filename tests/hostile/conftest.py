"""For calls of Python and of commands in this process."""

import pytest

from jitstudio.commands import module_request
from tests.support import QUICK_ARCH


@pytest.fixture(autouse=True)
def _quick_arch(monkeypatch):
    """Builds for the target that nvdisasm starts quickly for, where a test names none."""
    monkeypatch.setattr(module_request, "DEFAULT_ARCH", QUICK_ARCH)
