"""What is to be seen about answers of several programs beyond their types."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.device import DeviceList
from jitstudio.worker.messages import Unfit

_CAPABILITY = re.compile(r"\d{1,3}\.\d{1,3}", re.ASCII)


def check_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """See that none offers to change a text or a setting.

    The parent itself finds out what to do about a diagnostic, as a click of the user's does it.

    Raises:
        Unfit: One does.
    """
    if any(diagnostic.fix is not None for diagnostic in diagnostics):
        raise Unfit("it offers to change a text or a setting")


def check_devices(told: DeviceList) -> None:
    """See that each GPU has a compute capability.

    Raises:
        Unfit: One has none.
    """
    if not all(_CAPABILITY.fullmatch(device.capability) for device in told.devices):
        raise Unfit("it tells of a GPU with no compute capability")
