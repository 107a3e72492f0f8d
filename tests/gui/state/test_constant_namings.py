"""From where on registers hold variables, against the instructions that write them."""

import pytest

from jitstudio.gui.state.constant_namings import from_first_write
from jitstudio.simulator.ptx.register_variables import register_variables
from tests.support import cuda, request

SOURCE = """\
extern "C" __global__ void narrow(int* out, int n, bool flag, char letter)
{ int i = threadIdx.x; if (flag) out[i] = n + letter; }
"""


@pytest.mark.parametrize("arch", ["sm_90", "sm_120"])
def test_a_narrow_variable_is_in_no_register_before_the_first_write(arch, tools):
    build = request(cuda(SOURCE), emit="cubin", arch=arch, options=("-G",))
    cubin = tools.cubin(build).content
    (function,), (variables,) = tools.code(cubin).functions, register_variables(cubin).values()
    later = 0
    for variable in variables:
        settled = from_first_write(variable, function)
        later += settled.begin > variable.begin
        assert settled._replace(begin=variable.begin) == variable
        texts = [
            operands
            for operands, address in zip(function.operands, function.addresses, strict=True)
            if variable.begin <= address <= settled.begin
        ]
        if variable.is_written:
            result = texts[-1].split(",")[0].removeprefix("R")
            assert int(result) in (variable.register, variable.register - 1)
            assert not any(text.startswith(f"R{variable.register},") for text in texts[:-1])
    # PRMT writes bytes from Blackwell on.
    assert (later > 0) == (arch == "sm_120")
