"""Every option of every tool, in a single table, and the way of each option to the tools.

`rows` holds the table, a module for each stretch of the toolchain; `spec` says what a row says.
The form, the completion of the options field, `jitstudio options` and the plan of a build read
nothing else.
"""

from __future__ import annotations

from jitstudio.core.options.parsing import (
    ADDRESSES,
    ALL_DEVICE,
    OPTIONS,
    GivenOption,
    did_you_mean_option,
    find,
    have_effects,
    join_options,
    leave_traces,
    nvcc_objection,
    nvcc_spelling,
    options_for,
    read,
    refusal,
    rooted,
    split_options,
    takers,
    without,
    without_option,
)
from jitstudio.core.options.safety import hazard, is_within, lies_in, refused, shown
from jitstudio.core.options.spec import OptionEffect, OptionGroup, OptionSpec, ValueKind, ValueSpec

__all__ = [
    "ADDRESSES",
    "ALL_DEVICE",
    "OPTIONS",
    "GivenOption",
    "OptionEffect",
    "OptionGroup",
    "OptionSpec",
    "ValueKind",
    "ValueSpec",
    "did_you_mean_option",
    "find",
    "have_effects",
    "hazard",
    "is_within",
    "join_options",
    "leave_traces",
    "lies_in",
    "nvcc_objection",
    "nvcc_spelling",
    "options_for",
    "read",
    "refusal",
    "refused",
    "rooted",
    "shown",
    "split_options",
    "takers",
    "without",
    "without_option",
]
