from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind, kind_of
from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.request import LinkMode
from jitstudio.help.samples import samples
from jitstudio.system.paths import resource
from jitstudio.worker.launcher import Launcher
from tests.devices import H200, ONE_H200
from tests.sample_launches import IDS, LAUNCHES, resolved
from tests.support import SAMPLES


def test_the_first_sample_is_the_one_everybody_knows():
    first = samples()[0]
    assert [file.path.name for file in first.files] == ["vector_add.cu"]


def test_every_shipped_file_is_in_a_sample_and_every_listed_file_is_shipped():
    listed = {file.path.name for sample in samples() for file in sample.files}
    listed |= {sample.script.name for sample in samples() if sample.script is not None}
    assert listed == {path.name for path in SAMPLES.iterdir()} - {"samples.toml"}


def test_samples_are_described_and_of_known_kinds():
    assert len({sample.title for sample in samples()}) == len(samples())
    assert all(sample.summary.endswith(".") for sample in samples())
    assert all(kind_of(f.path.name) for sample in samples() for f in sample.files)


def test_the_issue_list_of_samples_is_complete():
    by_file = {sample.files[0].path.name: sample for sample in samples()}
    assert by_file["saxpy.cu"].files[0].name_expressions == ("saxpy<float>", "saxpy<double>")
    assert by_file["fill_typed.ll"].arch.number < 100
    assert by_file["fill_opaque.ll"].arch.number >= 100
    assert by_file["scale.ptx"].link is LinkMode.PTX
    assert by_file["apply_transform.cu"].link is LinkMode.LTO
    assert kind_of(by_file["histogram.cu"].files[1].path.name) is CodeKind.CUDA


def test_a_shipped_file_that_is_missing_is_told_in_words():
    with pytest.raises(FileNotFoundError, match="installation is incomplete"):
        resource("samples/none.cu")


@pytest.mark.parametrize(("sample", "spec"), LAUNCHES, ids=IDS)
def test_what_the_launch_panel_says_at_first_can_be_launched(host, sample, spec):
    if sample.arch is not None and sample.arch.number != H200.number:
        devices = DeviceList("13.4", (replace(H200, capability=sample.arch.capability),))
    else:
        devices = ONE_H200
    found = resolved(host, sample, spec, devices)
    assert found.problems == ()
    assert found.request is not None
    assert found.request.expectations


@pytest.fixture(scope="module")
def launcher():
    made = Launcher()
    yield made
    made.close()


@pytest.mark.parametrize(("sample", "spec"), LAUNCHES, ids=IDS)
def test_a_sample_is_right_in_the_simulator(builder, launcher, sample, spec):
    few = replace(spec, arguments=tuple((dict(spec.arguments) | {"n": "5000"}).items()))
    found = resolved(builder, sample, few, DeviceList(), device=SIMULATOR)
    result = launcher.launch(found.request)
    assert result.ok, result.reason
    assert [check.count for check in result.checks] == [
        256 if "bins" in dict(few.arguments) else 5000
    ]
    assert all(check.ok for check in result.checks)


def test_every_sample_that_builds_can_be_launched():
    silent = {sample.title for sample in samples() if not sample.launches}
    captured = {sample.title for sample in samples() if sample.script is not None}
    assert silent - captured == {"A broken kernel"}
