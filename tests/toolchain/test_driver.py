import pytest

from jitstudio.toolchain import driver


@pytest.mark.gpu
def test_the_gpus_are_listed():
    found = driver.describe()
    assert found.problem == ""
    assert [device.ordinal for device in found.devices] == list(range(len(found.devices)))
    first = found.devices[0]
    assert first.name.strip()
    assert first.name.isprintable()
    assert first.memory > 1 << 30
    assert float(first.capability) >= 7.5
