"""Every sample runs as the launch panel offers it, by both links, on every GPU that is here."""

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.request import LinkMode
from tests.sample_launches import IDS, LAUNCHES, resolved

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(("sample", "spec"), LAUNCHES, ids=IDS)
def test_a_sample_is_right(bench, sample, spec):
    links = (LinkMode.PTX, LinkMode.LTO) if sample.link is LinkMode.LTO else (sample.link,)
    for device in bench.devices.devices:
        if (sample.arch is not None) and (sample.arch.number < 100) != (device.number < 100):
            pytest.skip("its dialect of LLVM is not for this GPU")
        for link in links:
            arch = Arch(device.number)
            found = resolved(bench.builder, sample, spec, bench.devices, arch, link, device.ordinal)
            assert found.request is not None, found.problems
            result = bench.launcher.launch(found.request)
            assert result.ok, result
            assert all(check.ok for check in result.checks)
            assert result.checks
