from jitstudio.cli.text_report import print_stages
from jitstudio.core.arch import Arch
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.result import BuildResult, Outcome

EXPLANATION = (
    "It is explained in words that go on for longer than one line of a terminal has room. " * 2
)
EXPLAINED = Diagnostic(Severity.ERROR, "k.cu", 3, 1, "no such thing", explanation=EXPLANATION)
PLAIN = Diagnostic(Severity.WARNING, "k.cu", 4, None, "never used")


def test_an_explanation_stands_below_its_diagnostic(capsys):
    print_stages(BuildResult(Outcome.FAILED, Arch(90), diagnostics=(EXPLAINED, PLAIN)))
    first, *indented, last = capsys.readouterr().err.splitlines()
    assert first == "k.cu:3:1: error: no such thing"
    assert " ".join(line.strip() for line in indented) == EXPLANATION.strip()
    assert len(indented) == 2
    assert all(line.startswith("    ") and len(line) <= 96 for line in indented)
    assert last == "k.cu:4: warning: never used"
