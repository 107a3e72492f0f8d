"""Each form of an instruction gives the bits that an H100 gave.

`h100_forms.json` has a checksum of what an H100 with driver 580 gave for each row of `forms`.
"""

import json
import zlib
from pathlib import Path

import numpy as np

from tests.simulator.forms import FORMS, MATRIX_FORMS, result_of
from tests.simulator.warp_group_forms import WARP_GROUP_FORMS

ANSWERS = json.loads((Path(__file__).parent / "h100_forms.json").read_text())


def wrong(forms):
    return [
        form.text for form in forms if zlib.crc32(result_of(form).tobytes()) != ANSWERS[form.name]
    ]


def test_every_form():
    known = {form.name for form in (*FORMS, *MATRIX_FORMS, *WARP_GROUP_FORMS)}
    assert ANSWERS.keys() == known
    assert wrong(FORMS) == []


@np.errstate(all="ignore")
def test_products_of_matrices():
    assert wrong(MATRIX_FORMS) == []


@np.errstate(all="ignore")
def test_products_of_warp_groups():
    assert wrong(WARP_GROUP_FORMS) == []
