"""From source text to a launch, by the steps that the window and the command line take."""

from dataclasses import dataclass, field, replace

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.choice import build_for_launch, choose_form, launchable
from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.launch.request import LaunchRequest
from jitstudio.core.launch.resolve import resolve
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.worker.builder import Builder
from jitstudio.worker.launcher import Launcher


def cuda(text: str, name: str = "k.cu") -> Source:
    """A CUDA C++ module."""
    return Source(name, CodeKind.CUDA, text.encode())


@dataclass
class Bench:
    """Builds kernels and launches them.

    Attributes:
        builder: Compiles.
        launcher: Launches.
        devices: The GPUs.
        build: How the next kernel is built; for the GPU in use.
    """

    builder: Builder
    launcher: Launcher
    devices: DeviceList
    options: tuple[str, ...] = ("-lineinfo",)
    built: dict[BuildRequest, BuildResult] = field(default_factory=dict)

    def build(
        self,
        sources: tuple[Source, ...],
        kernel: str = "",
        link: LinkMode = LinkMode.NONE,
        device: int = 0,
    ) -> tuple[BuildRequest, BuildResult]:
        """Build modules for one of the GPUs."""
        arch = Arch(90 if device == SIMULATOR else self.devices.devices[device].number)
        wish = BuildRequest(sources, arch=arch, link=link, options=self.options)
        request = build_for_launch(wish, kernel)
        if request not in self.built:
            self.built[request] = self.builder.build(request)
        return request, self.built[request]

    def request(
        self,
        text: str | tuple[Source, ...],
        spec: LaunchSpec,
        link: LinkMode = LinkMode.NONE,
        device: int = 0,
    ) -> LaunchRequest:
        """The launch that a spec of these sources comes to."""
        sources = (cuda(text),) if isinstance(text, str) else text
        build, result = self.build(sources, spec.kernel, link, device)
        assert result.ok, result.diagnostics
        form = choose_form(spec.kernel, kernel_forms(build.sources, result))
        is_simulated = device == SIMULATOR
        kernel = launchable(build, result, form, spec.load, simulated=is_simulated)
        resolved = resolve(spec, kernel, self.devices, device)
        assert resolved.request is not None, resolved.problems
        return resolved.request

    def run(self, text: str | tuple[Source, ...], spec: LaunchSpec, **how: object) -> LaunchResult:
        """Build, resolve and launch."""
        return self.launcher.launch(self.request(text, spec, **how))  # type: ignore[arg-type]


def spec(kernel: str = "", *arguments: str, **fields: object) -> LaunchSpec:
    """A launch written as on the command line: each argument is ``name=text``."""
    pairs = tuple((name, text) for name, _, text in (a.partition("=") for a in arguments))
    return replace(LaunchSpec(kernel=kernel, arguments=pairs), **fields)  # type: ignore[arg-type]
