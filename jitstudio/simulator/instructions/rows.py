"""All rows of the table, by importing the modules that hold them."""

from jitstudio.simulator.instructions import (
    atomics,
    comparing,
    control,
    conversions,
    floating,
    integer,
    memory,
    warp,
)

ROW_MODULES = (atomics, comparing, control, conversions, floating, integer, memory, warp)
