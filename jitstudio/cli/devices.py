"""`jitstudio devices`: the GPUs that can be launched on, and the simulator."""

from __future__ import annotations

import json

from jitstudio.command_options.other import DeviceListOptions
from jitstudio.commands import exit_codes
from jitstudio.commands.json_launch import devices_object
from jitstudio.core.launch.device import SIMULATED_DEVICE, Device, DeviceList
from jitstudio.core.launch.problems import in_bytes
from jitstudio.system.terminal import print_error, say
from jitstudio.worker.launcher import Launcher

_WITHOUT = (
    "Building needs no GPU: 'jitstudio build' works all the same, and 'jitstudio run --device sim' "
    "simulates a launch."
)


def run(options: DeviceListOptions) -> int:
    """Lists the GPUs; the exit status is `MISSING` if there is none.

    Raises:
        WorkerError: The worker itself failed.
    """
    launcher = Launcher()
    try:
        devices = launcher.devices()
    finally:
        launcher.close()
    if options.json:
        say(json.dumps(devices_object(devices), indent=2))
    else:
        _show(devices)
    return exit_codes.BUILT if devices.devices else exit_codes.MISSING


def _show(devices: DeviceList) -> None:
    if devices.driver_version:
        say(f"driver serves CUDA {devices.driver_version}")
    for device in devices.devices:
        say(_line(device))
    say(f"{SIMULATED_DEVICE.uuid}  {SIMULATED_DEVICE.name}")
    if devices.problem:
        print_error(f"jitstudio: {devices.problem}")
        print_error(f"jitstudio: {_WITHOUT}")


def _line(device: Device) -> str:
    free = "" if device.memory_free is None else f"{in_bytes(device.memory_free)} free of "
    peak = device.peak_bandwidth
    return ", ".join(
        (
            f"GPU {device.ordinal}  {device.name}",
            f"compute capability {device.capability}",
            f"{free}{in_bytes(device.memory)}",
            f"{device.multiprocessors} multiprocessors",
            *((f"{peak / 1e9:,.0f} GB/s",) if peak else ()),
        )
    )
