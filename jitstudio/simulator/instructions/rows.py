"""All rows of the table, by importing the modules that hold them."""

from jitstudio.simulator.instructions import (
    absent,
    asynchronous,
    atomics,
    comparing,
    control,
    conversions,
    floating,
    fragments,
    integer,
    matrix,
    memory,
    surfaces,
    texels,
    textures,
    warp,
    warpgroup,
)

ROW_MODULES = (
    absent,
    asynchronous,
    atomics,
    comparing,
    control,
    conversions,
    floating,
    fragments,
    integer,
    matrix,
    memory,
    surfaces,
    texels,
    textures,
    warp,
    warpgroup,
)
