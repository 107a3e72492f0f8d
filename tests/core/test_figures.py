from dataclasses import fields

from jitstudio.core.figures import NEEDS
from jitstudio.core.result import Resources


def test_all_that_a_kernel_may_need_has_a_row():
    assert {figure.id for figure in NEEDS} == {field.name for field in fields(Resources)}
