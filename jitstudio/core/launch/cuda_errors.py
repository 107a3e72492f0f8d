"""The CUDA driver's errors and their meaning, from `resources/launch/cuda_errors.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from jitstudio.system.paths import resource

_NAME = re.compile(r"CUDA_ERROR_[A-Z0-9_]+")


@dataclass(frozen=True)
class CudaError:
    """An error of the driver.

    Attributes:
        name: Such as ``CUDA_ERROR_ILLEGAL_ADDRESS``.
        meaning: What happened; a clause without its full stop.
        remedy: Why, and what to do; sentences.
        fatal: Whether the process can launch nothing any more.
    """

    name: str
    meaning: str
    remedy: str
    fatal: bool = False


def name_in(text: str) -> str:
    """Returns the first name of an error in a text; empty where there is none."""
    match = _NAME.search(text)
    return match[0] if match else ""


def cuda_error(name: str) -> CudaError:
    """Returns the error of this name; a name that is missing in the table is taken to be fatal."""
    known = _ERRORS.get(name.removeprefix("CUDA_ERROR_"))
    if known is not None:
        return known
    advice = f"Look for {name} in the reference of the CUDA driver."
    return CudaError(name, "the driver reports an error", advice, fatal=True)


def _rows() -> dict[str, CudaError]:
    rows = tomllib.loads(resource("launch/cuda_errors.toml").read_text("utf-8"))
    kept = rows.pop("kept")
    return {
        name: CudaError(
            f"CUDA_ERROR_{name}",
            row["meaning"],
            row["remedy"].format(kept=kept),
            row.get("fatal", False),
        )
        for name, row in rows.items()
    }


# Read before a process is sealed, which then reaches no file.
_ERRORS = _rows()
