"""GPUs as the driver describes them, for tests that need none."""

from jitstudio.core.launch.device import Device, DeviceLimits, DeviceList

H200 = Device(
    ordinal=0,
    name="NVIDIA H200",
    uuid="GPU-6f1c1d2e-0000-4000-8000-000000000001",
    capability="9.0",
    memory=150_110_011_392,
    memory_free=149_000_000_000,
    multiprocessors=132,
    clock_khz=1_980_000,
    memory_clock_khz=3_201_000,
    memory_bus_bits=6144,
    l2_bytes=62_914_560,
    limits=DeviceLimits(
        threads_per_block=1024,
        block=(1024, 1024, 64),
        grid=(2_147_483_647, 65_535, 65_535),
        registers_per_block=65_536,
        registers_per_multiprocessor=65_536,
        threads_per_multiprocessor=2048,
        blocks_per_multiprocessor=32,
        shared_per_block=49_152,
        shared_per_block_optin=232_448,
        shared_per_multiprocessor=233_472,
        warp=32,
        cooperative=True,
        clusters=True,
    ),
)

ONE_H200 = DeviceList("13.0", (H200,))
