import pytest

from jitstudio.gui.kit.presentation import duration_text, size_text


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 B"), (999, "999 B"), (12_345, "12.3 KB"), (4_200_000, "4.2 MB"), (3e9, "3.0 GB")],
)
def test_sizes(size, words):
    assert size_text(size) == words


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0.0213, "0.021 ms"),
        (3.25, "3.2 ms"),
        (134.6, "135 ms"),
        (1250, "1.2 s"),
        (125_400, "2:05 min"),
    ],
)
def test_times(ms, words):
    assert duration_text(ms) == words
