from dataclasses import fields

from jitstudio.core.arch import Arch
from jitstudio.core.figures import NEEDS
from jitstudio.core.kernel_resources import merge, read_verbose_log
from jitstudio.core.result import BuildResult, Kernel, Outcome, Resources

PTXAS = """\
ptxas info    : Overriding maximum register limit 256 for 'many' with  32 of maxrregcount option
ptxas info    : 272 bytes gmem
ptxas info    : Compiling entry function 'many' for 'sm_90'
ptxas info    : Function properties for many
ptxas         .     672 bytes stack frame, 732 bytes spill stores, 1276 bytes spill loads
ptxas info    : Function properties for dev
ptxas         .     48 bytes stack frame, 44 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 720 bytes cumulative stack size, 16 bytes smem
ptxas info    : Compile time = 85.977 ms
ptxas info    : Compiling entry function '_Z1rIfEvPT_' for 'sm_90'
ptxas info    : Function properties for _Z1rIfEvPT_
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0]
"""
NVLINK = """\
info    : 272 bytes gmem, 28 bytes cmem[3]
info    : Function properties for 'many':
info    : used 32 registers, used 1 barriers, 32 stack, 4 bytes smem, 53 bytes cmem[0], 7 bytes lmem
"""


def test_the_spelling_of_ptxas_is_read_with_registers_given_to_the_kernel():
    assert read_verbose_log(PTXAS) == {
        "many": Resources(
            registers=32,
            barriers=1,
            stack_bytes=672,
            shared_bytes=16,
            spill_stores=732,
            spill_loads=1276,
        ),
        "dev": Resources(stack_bytes=48, spill_stores=44, spill_loads=40),
        "_Z1rIfEvPT_": Resources(
            registers=8,
            barriers=0,
            stack_bytes=0,
            spill_stores=0,
            spill_loads=0,
            constant_bytes=360,
        ),
    }


def test_the_spelling_of_the_linker_is_read():
    assert read_verbose_log(NVLINK) == {
        "many": Resources(
            registers=32,
            barriers=1,
            stack_bytes=32,
            shared_bytes=4,
            constant_bytes=53,
            local_bytes=7,
        )
    }


def test_other_text_tells_nothing():
    assert read_verbose_log("k.cu(1): warning #177-D: x\n8 bytes stack frame\n") == {}


def test_what_is_known_wins_and_what_is_not_is_filled_in():
    known = {"k": Resources(registers=10), "m": Resources(registers=1)}
    told = {"k": Resources(registers=99, spill_loads=4), "dev": Resources(registers=3)}
    assert merge(known, told) == {
        "k": Resources(registers=10, spill_loads=4),
        "m": Resources(registers=1),
    }


def test_of_two_kernels_of_one_name_that_of_the_module_is_meant():
    kernels = tuple(
        Kernel(module, "k", "k", Resources(registers=count))
        for module, count in (("a", 26), ("b", 20))
    )
    result = BuildResult(Outcome.BUILT, Arch(90), kernels=kernels)
    found = [result.resources_of("k", module) for module in ("b", "a", "", "linked")]
    assert [needs.registers for needs in found] == [20, 26, 26, 26]


def test_all_that_a_kernel_may_need_has_a_row():
    assert {figure.id for figure in NEEDS} == {field.name for field in fields(Resources)}
