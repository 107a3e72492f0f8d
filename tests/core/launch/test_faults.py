from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.resolve import SpecFaults
from jitstudio.core.launch.values import integer


def test_what_makes_sense_is_handed_on():
    faults = SpecFaults()
    assert faults.attempt("block", lambda: integer("256")) == 256
    assert (faults.problems, faults.fatal) == ([], False)


def test_what_makes_no_sense_is_a_problem_of_its_field():
    faults = SpecFaults()
    assert faults.attempt("block", lambda: integer("n", {"m": 1})) is None
    assert faults.problems == [
        SpecProblem("block", "There is no number 'n'.", "Known here: m.", Severity.ERROR)
    ]
    assert faults.fatal


def test_what_lacks_only_a_faulty_argument_is_passed_over():
    faults = SpecFaults()
    faults.faulty.add("n")
    assert faults.attempt("block", lambda: integer("2*n", {"m": 1})) is None
    assert faults.problems == []


def test_warnings_alone_are_not_fatal():
    faults = SpecFaults()
    faults.add(SpecProblem("block", "Odd.", severity=Severity.WARNING))
    assert not faults.fatal
    faults.add(SpecProblem("grid", "Wrong."))
    assert faults.fatal
