"""What programs may say to what they were asked, beyond its type."""

import os

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.c_types import FLOAT, INT
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.request import Buffer, Direction, LaunchConfig, LaunchRequest
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    LaunchOutcome,
    LaunchProgress,
    LaunchResult,
    Timing,
)
from jitstudio.worker.programs.launch import LAUNCHING, LaunchCommand
from jitstudio.worker.protocol import Unfit

OUTPUT = Buffer("out", FLOAT, 0, 4, direction=Direction.OUT)


@pytest.fixture
def call(tmp_path):
    """A launch whose only output is there."""
    (tmp_path / "0.npy").write_bytes(b"content")
    request = LaunchRequest(
        code=b"",
        code_kind=CodeKind.CUBIN,
        kernel="k",
        title="k",
        device=0,
        arguments=(OUTPUT,),
        parameter_bytes=8,
        config=LaunchConfig(),
    )
    return LaunchCommand(request, (), str(tmp_path), 0.0)


def check(call, **told):
    said = LaunchResult(LaunchOutcome.RAN, "k", **told)
    LAUNCHING.service(call).check(call, said)


def output(path, name="out", element=FLOAT, length=4, direction=Direction.OUT):
    return (BufferResult(name, element, length, direction, str(path)),)


def test_outputs_in_the_folder_of_the_launch_are_taken(call, tmp_path):
    check(call, buffers=output(tmp_path / "0.npy"), timing=Timing((1.0,)))
    check(call, buffers=output(""))
    check(call)
    LAUNCHING.service(call).check(call, LaunchProgress("running"))


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "0.npy", "{}/../0.npy", "{}/1.npy", "{}/sub/0.npy", "{}/0.npy/../0.npy"]
)
def test_an_output_anywhere_else_is_none(call, tmp_path, path):
    with pytest.raises(Unfit, match="outside the folder of the launch"):
        check(call, buffers=output(path.format(tmp_path)))


@pytest.mark.parametrize(
    "make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/etc/passwd", path)]
)
def test_an_output_that_is_no_plain_file_is_none(call, tmp_path, make):
    path = tmp_path / "0.npy"
    path.unlink()
    with pytest.raises(Unfit, match="is not there"):
        check(call, buffers=output(path))
    make(path)
    with pytest.raises(Unfit, match="not a file of"):
        check(call, buffers=output(path))


def test_a_second_name_of_somebody_elses_file_is_no_output(call, tmp_path):
    os.link(tmp_path / "0.npy", tmp_path / "other")
    with pytest.raises(Unfit, match="not a file of its own"):
        check(call, buffers=output(tmp_path / "0.npy"))


@pytest.mark.parametrize(
    "other", [{"name": "../x"}, {"element": INT}, {"length": 5}, {"direction": Direction.IN}]
)
def test_buffers_are_those_of_the_kernel(call, tmp_path, other):
    with pytest.raises(Unfit, match="buffers that the kernel has not"):
        check(call, buffers=output(tmp_path / "0.npy", **other))


def test_times_and_checks_are_what_the_window_can_show(call):
    with pytest.raises(Unfit, match="times of no launch"):
        check(call, timing=Timing(()))
    with pytest.raises(Unfit, match="checks that are not its own"):
        check(call, checks=(CheckResult("out", "1", ok=True),))
    assert LAUNCHING.service(call).answer is LaunchResult
    assert DeviceList in [service.answer for service in LAUNCHING.services]
