"""The launches that samples come with, from the sample's files to the request."""

from jitstudio.core.arch import Arch
from jitstudio.core.code import Header, Source, kind_of
from jitstudio.core.launch.choice import LAUNCHED_KINDS, choose_form, launchable
from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.launch.resolve import ResolvedSpec, resolve
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.help.samples import Sample, samples
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.worker.builder import Builder

LAUNCHES = [(sample, spec) for sample in samples() for spec in sample.launches]
IDS = [sample.title for sample, _ in LAUNCHES]


def resolved(
    builder: Builder,
    sample: Sample,
    spec: LaunchSpec,
    devices: DeviceList,
    arch: Arch | None = None,
    link: LinkMode | None = None,
    device: int = 0,
) -> ResolvedSpec:
    """What the launch of a sample comes to on one of these GPUs or in the simulator."""
    files = [
        Source(f.path.name, kind_of(f.path.name), f.path.read_bytes(), "", f.name_expressions)
        for f in sample.files
    ]
    headers = tuple(Header(f.name, f.content) for f in files if f.name.endswith(".cuh"))
    sources = tuple(f for f in files if not f.name.endswith(".cuh"))
    request = BuildRequest(
        sources,
        arch=arch or sample.arch or Arch(90),
        emit=LAUNCHED_KINDS,
        link=sample.link if link is None else link,
        headers=headers,
    )
    result = builder.build(request)
    assert result.ok, result.diagnostics
    form = choose_form(spec.kernel, kernel_forms(sources, result, headers))
    is_simulated = device == SIMULATOR
    kernel = launchable(request, result, form, spec.load, simulated=is_simulated)
    return resolve(spec, kernel, devices, device)
