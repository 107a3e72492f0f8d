"""Each form of an instruction gives the bits that an H100 gave.

`h100_forms.json` has a checksum of what an H100 with driver 580 gave for each row of `forms`.
"""

import json
import zlib
from pathlib import Path

import numpy as np
from numpy._core._multiarray_umath import __cpu_features__

from tests.simulator.forms import FORMS, MATRIX_FORMS, MatrixForm, result_of
from tests.simulator.warp_group_forms import WARP_GROUP_FORMS

ANSWERS = json.loads((Path(__file__).parent / "h100_forms.json").read_text())


# The inputs of products were powers by NumPy's code for AVX-512, from which others differ in
# the last bit of a double; narrower types hide it.
INPUTS_ARE_RECORDED = __cpu_features__["AVX512_SKX"]


def wrong(forms):
    return [
        form.text
        for form in forms
        if zlib.crc32(result_of(form).tobytes()) != ANSWERS[form.name]
        and (INPUTS_ARE_RECORDED or not isinstance(form, MatrixForm) or form.types[0] != "f64")
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
