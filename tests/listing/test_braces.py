import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.folds import folds

CUDA = """\
namespace a { struct S {
    int x; // }
    char c = '}'; int n = 1'000;
}; }
void f()
{
    if (x) {
        g("}");
    } else {
        /* }
        } */
    }
}
void short_one() {
}
"""


def test_what_is_between_the_braces_can_be_folded():
    assert folds(CodeKind.CUDA, CUDA) == {0: 2, 5: 11, 6: 7, 8: 10}


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        (CodeKind.PTX, ".entry f()\n{\n  // }\n  {\n  a;\n  }\n}\n", {1: 5, 3: 4}),
        (CodeKind.LLVM_IR, 'define void @f() {\n; }\n  c"}"\n}\n!0 = !{\n', {0: 2}),
        (CodeKind.HEADER, "struct S {\n  int x;\n};", {0: 1}),
        (CodeKind.CUDA, "}\n}\nvoid f() {\n x;\n", {}),
        (CodeKind.SASS, "{\na\n}", {}),
    ],
)
def test_braces_are_those_of_the_language(kind, text, found):
    assert folds(kind, text) == found
