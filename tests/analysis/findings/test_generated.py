"""Kernels by whose construction it is known what the rules have to say of them."""

import pytest

from tests.analysis.findings.generated import TARGETS, batch, told


@pytest.mark.parametrize("arch", TARGETS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_rules_tell_what_the_construction_knows(tools, arch, seed):
    wrong = [
        (kernel.text, set(kernel.rules), rules)
        for kernel, rules in told(tools, batch(seed), arch)
        if rules != kernel.rules
    ]
    assert wrong == []
