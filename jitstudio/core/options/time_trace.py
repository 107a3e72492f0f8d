"""The option by which NVRTC writes a trace of its time, and the file that it makes."""

from __future__ import annotations

from jitstudio.core.options.parsing import OPTIONS

TIME_TRACE = next(spec for spec in OPTIONS if "--fdevice-time-trace" in spec.flags)
TRACE_ENDING = ".json"
"""NVRTC appends this to the name that the option gives."""
