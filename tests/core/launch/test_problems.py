import pytest

from jitstudio.core.launch.problems import in_bytes


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1023, "1023 bytes"),
        (1024, "1.0 KiB"),
        ((1 << 20) - 60, "1,023.9 KiB"),
        ((1 << 20) - 1, "1.0 MiB"),
        (3 << 29, "1.5 GiB"),
    ],
)
def test_a_size_is_told_in_the_unit_that_it_rounds_to(size, text):
    assert in_bytes(size) == text
