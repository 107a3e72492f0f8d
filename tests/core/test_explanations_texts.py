"""What holds for all explanations: they are tested, short, and cost a good build nothing."""

import re
import time

import pytest

from jitstudio.core.arch import DEFAULT_ARCH
from jitstudio.core.explanations import explained, explanations
from jitstudio.core.result import BuildResult, Outcome
from tests.core.failures import NVCC_FAILURES, PROVOKED, REPORTED, reported
from tests.core.foreign_failures import FOREIGN_FAILURES
from tests.support import request, sample


def test_every_explanation_is_tested():
    here = {failure.id for failure in (*PROVOKED, *FOREIGN_FAILURES, *NVCC_FAILURES)} | {
        id_ for id_, *_ in REPORTED
    }
    by_name = {
        "unresolved-at-compile",
        "unresolved-in-only-module",
        "lto-needed",
        "lto-for-newer-target",
        "no-code-for-target",
        "out-of-memory",
        "time-limit",
        "option-leaks",
        "bitcode-lacks",
        "mark-of-a-header",
        "nvvm-crash-of-bitcode",
        "ptx-empty-after-lto",
        "ptx-too-new-for-driver",
    }
    assert {e.id for e in explanations()} == here | by_name


def test_texts_use_known_words_only():
    results = [explained(*reported(message, tool)) for _, tool, message in REPORTED]
    assert not any("$" in d.explanation for result in results for d in result.diagnostics)


def test_texts_are_short():
    for explanation in explanations():
        sentences = re.findall(r"[.!?](?= |$)", explanation.text)
        assert 1 <= len(sentences) <= 4, explanation.id
        assert len(explanation.text) < 420, explanation.id


@pytest.mark.bench
def test_a_good_build_is_not_slowed_down():
    built = request(sample("saxpy.cu"))
    result = BuildResult(Outcome.BUILT, DEFAULT_ARCH)
    start = time.perf_counter()
    for _ in range(100):
        assert explained(built, result) is result
    assert time.perf_counter() - start < 0.1
