"""What is to be seen about answers of several programs beyond their types."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.device import DeviceList
from jitstudio.worker.messages import Unfit

_MOST = 1 << 31
_CAPABILITY = re.compile(r"\d{1,3}\.\d{1,3}", re.ASCII)


def check_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """See that none offers to change a text or a setting, and that each is at a place.

    The parent itself finds out what to do about a diagnostic, as a click of the user's does it.

    Raises:
        Unfit: One does, or is not.
    """
    for diagnostic in diagnostics:
        if diagnostic.fix is not None:
            raise Unfit("it offers to change a text or a setting")
        if not all(
            0 <= number < _MOST for number in (diagnostic.line or 0, diagnostic.column or 0)
        ):
            raise Unfit("it complains of a place that no text has")


def check_devices(told: DeviceList) -> None:
    """See that each GPU has a compute capability.

    Raises:
        Unfit: One has none.
    """
    if not all(_CAPABILITY.fullmatch(device.capability) for device in told.devices):
        raise Unfit("it tells of a GPU with no compute capability")
