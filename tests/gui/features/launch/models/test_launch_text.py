from dataclasses import replace

import pytest

from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.launch.spec import LoadMode, Sanitizer
from jitstudio.gui.features.launch.models.launch_text import (
    LOAD_MODES,
    SANITIZERS,
    config_text,
    device_text,
)
from tests.devices import H200


def test_a_device_is_told_with_its_memory():
    assert device_text(H200) == "0: NVIDIA H200, 9.0, 138.8 GiB free of 139.8 GiB"
    unseen = replace(H200, ordinal=1, memory_free=None)
    assert device_text(unseen) == "1: NVIDIA H200, 9.0, 139.8 GiB"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (
            LaunchConfig((4096, 1, 1), (256, 1, 1)),
            "4,096 blocks \N{MULTIPLICATION SIGN} 256 threads = 1,048,576 threads",
        ),
        (LaunchConfig(), "1 block \N{MULTIPLICATION SIGN} 1 thread = 1 thread"),
        (
            LaunchConfig((64, 1, 2), (16, 16, 1), (2, 1, 1), 65536),
            (
                "(64, 1, 2) blocks \N{MULTIPLICATION SIGN} (16, 16) threads = 32,768 threads, "
                "clusters of 2 blocks, 65,536 bytes of dynamic shared memory per block"
            ),
        ),
    ],
)
def test_a_configuration_is_told_in_threads(config, words):
    assert config_text(config) == words


def test_every_choice_has_words():
    assert set(LOAD_MODES) == set(LoadMode)
    assert set(SANITIZERS) == {None, *Sanitizer}
