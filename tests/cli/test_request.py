from dataclasses import replace

import pytest

from jitstudio.cli.arguments import command_line
from jitstudio.command_options.values import UsageError
from jitstudio.commands.launch_spec import spec_from
from jitstudio.commands.module_request import arch_for, assign_name_expressions, source_from
from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.spec import LaunchSpec, LoadMode, Sanitizer
from tests.devices import H200
from tests.support import SAMPLES, cuda, ptx

SAXPY = cuda("template <class T> __global__ void saxpy(T a);", "a.cu")
DOT = cuda("namespace my { template <class T> __global__ void dot(T a); }", "b.cu")


def test_a_file_becomes_a_module_that_knows_its_folder(tmp_path):
    path = tmp_path / "k.CU"
    path.write_bytes(b"x\xff")
    source = source_from(str(path))
    assert (source.kind, source.content) == (CodeKind.CUDA, b"x\xff")
    assert source.folder == str(tmp_path)


@pytest.mark.parametrize("name", ["k.h", "k.sass", "k", "k.txt"])
def test_a_file_that_no_tool_takes_is_refused_before_it_is_read(name):
    with pytest.raises(UsageError, match=f"'{name}' has no file extension"):
        source_from(name)


def test_an_expression_goes_to_the_module_that_mentions_its_name():
    given = assign_name_expressions((SAXPY, DOT), ["saxpy<float>", "my::dot<int>", "&my::dot<int>"])
    assert [source.name_expressions for source in given] == [
        ("saxpy<float>",),
        ("my::dot<int>", "&my::dot<int>"),
    ]


def test_an_expression_that_nobody_mentions_goes_to_all_so_that_nvrtc_says_so():
    given = assign_name_expressions((SAXPY, DOT), ["axpy<float>"])
    assert [source.name_expressions for source in given] == [("axpy<float>",)] * 2


def test_only_cuda_takes_expressions():
    given = assign_name_expressions((ptx("c.ptx", "saxpy"), SAXPY), ["saxpy<float>"])
    assert [source.name_expressions for source in given] == [(), ("saxpy<float>",)]
    with pytest.raises(UsageError, match=r"needs a CUDA C\+\+ module"):
        assign_name_expressions((ptx("c.ptx", ""),), ["saxpy<float>"])


@pytest.mark.parametrize("word", ["--option=", "--name-expression=", "--fat=", "--fat=,"])
def test_an_empty_word_is_a_usage_error(run, word):
    ran = run("build", SAMPLES / "vector_add.cu", word)
    assert ran.code == 2
    assert f"{word.partition('=')[0]} is empty" in ran.err


def spec(*words):
    return spec_from(command_line(["run", "k.cu", *words]).options)


def test_without_words_it_is_the_plain_launch():
    assert spec() == LaunchSpec()


def test_each_word_has_its_place():
    assert spec(
        *("--kernel", "k", "--grid", "2,3", "--block", "32,4", "--cluster", "2", "--shared", "n*4"),
        *("--cooperative", "--driver-jit", "--arg", "n = 16", "--arg", "s={x=1, y=2}"),
        *("--expect", "a = b", "--expect", "c", "--rtol", "0", "--atol", "1e-3", "--repeat", "0"),
        *("--warmup", "2", "--flush-l2", "--no-poison", "--no-guards", "--sanitize", "racecheck"),
        *("--timeout", "2.5"),
    ) == LaunchSpec(
        kernel="k",
        arguments=(("n", "16"), ("s", "{x=1, y=2}")),
        grid="2,3",
        block="32,4",
        cluster="2",
        shared="n*4",
        cooperative=True,
        load=LoadMode.DRIVER_JIT,
        warmup=2,
        repeats=0,
        flush_l2=True,
        expectations=("a = b", "c"),
        relative=0.0,
        absolute=1e-3,
        poison=False,
        guards=False,
        sanitizer=Sanitizer.RACECHECK,
        timeout=2.5,
    )


def test_words_change_what_they_name_of_a_launch_and_nothing_else():
    base = LaunchSpec(
        "saxpy<float>", (("a", "2"), ("n", "64")), cover="n", expectations=("y = x",), poison=False
    )

    def changed(*words):
        return spec_from(command_line(["run", "p.jitproj", *words]).options, base)

    assert changed() == base
    assert changed("--kernel", "saxpy") == base
    assert changed("--kernel", "saxpy<int>").kernel == "saxpy<int>"
    assert changed("--arg", "a=3").arguments == (("a", "3"), ("n", "64"))
    assert changed("--expect", "y = a").expectations == ("y = a",)
    assert changed("--grid", "4") == replace(base, grid="4", cover="")
    assert changed("--block", "32", "--repeat", "0") == replace(base, block="32", repeats=0)


@pytest.mark.parametrize(
    "words", [("--arg", "n"), ("--arg", "=1"), ("--arg", "n=1", "--arg", "n=2")]
)
def test_an_argument_is_written_once_with_its_name(words):
    with pytest.raises(UsageError, match=r"--arg (takes|gives)"):
        spec(*words)


def test_the_target_is_that_of_the_gpu_unless_another_is_given():
    found = DeviceList("13.0", (H200, replace(H200, ordinal=1, capability="10.3")))
    assert arch_for(Arch(80), True, found, 1) == Arch(80)
    assert arch_for(DEFAULT_ARCH, False, found, 1) == Arch(103)
    assert arch_for(DEFAULT_ARCH, False, found, 2) == DEFAULT_ARCH
    assert arch_for(DEFAULT_ARCH, False, DeviceList(problem="No driver."), 0) == DEFAULT_ARCH
