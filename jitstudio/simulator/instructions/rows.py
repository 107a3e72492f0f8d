"""All rows of the table, by importing the modules that hold them."""

from jitstudio.simulator.instructions import (
    comparing,
    control,
    conversions,
    floating,
    integer,
    memory,
)

ROW_MODULES = (comparing, control, conversions, floating, integer, memory)
