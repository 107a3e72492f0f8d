from threading import Event
from time import thread_time

import numpy as np
import pytest

from jitstudio.core.launch.request import Direction
from jitstudio.core.launch.result import BufferResult, Mismatch
from jitstudio.gui.features.launch.models.buffer_data import (
    BufferData,
    Stopped,
    chunks,
    curve,
    open_all,
    save_csv,
    save_npy,
    statistics,
)
from jitstudio.gui.features.launch.models.buffer_image import picture
from jitstudio.gui.features.launch.models.image_choice import ImageColouring, proposed_width
from tests.gui.launches import BFLOAT, FLOAT, FLOAT4, INT, UCHAR, buffer, lanes, particles, vector

GO_ON = Event()


def labels(data):
    return [leaf.label for leaf in data.leaves]


def test_each_number_of_an_element_is_a_column(tmp_path):
    assert labels(BufferData(vector(tmp_path))) == [""]
    assert labels(BufferData(lanes(tmp_path))) == ["x", "y", "z", "w"]
    members = ["place[0]", "place[1]", "place[2]", "place[3]", "id", "kind"]
    assert labels(BufferData(particles(tmp_path))) == members


def test_values_are_told_in_their_own_precision_and_as_bits(tmp_path):
    data = BufferData(buffer(tmp_path, "a", FLOAT, [0.1, -1]))
    assert (data.text(0, 0), data.hex_text(1, 0)) == ("0.1", "0xbf800000")
    data = BufferData(buffer(tmp_path, "b", BFLOAT, [1.5]))
    assert (data.text(0, 0), data.hex_text(0, 0)) == ("1.5", "0x3fc0")


def test_elements_that_hold_the_pattern_are_unwritten(tmp_path):
    data = BufferData(vector(tmp_path, 100, unwritten=40))
    assert [data.is_unwritten(n) for n in (0, 59, 60, 99)] == [False, False, True, True]
    assert not BufferData(vector(tmp_path, 100)).is_unwritten(99)


def test_mismatches_of_lanes_and_of_whole_elements(tmp_path):
    wrong = (Mismatch((3, 2), "1", "2"), Mismatch((7,), "1", "2"))
    data = BufferData(lanes(tmp_path), wrong)
    assert set(data.mismatches) == {(3, 2), (7, 0), (7, 1), (7, 2), (7, 3)}
    assert [data.marked_after(n) for n in (-1, 3, 7)] == [3, 7, 3]


def test_what_cannot_be_read_is_said_and_the_others_are_opened(tmp_path):
    gone = BufferResult("gone", FLOAT, 3, Direction.OUT, str(tmp_path / "gone.npy"))
    opened = open_all((gone, vector(tmp_path)), {})
    assert opened["gone"].startswith("The content of 'gone' cannot be read:")
    assert opened["out"].length == 4096


def test_a_buffer_stays_readable_when_its_file_is_replaced(tmp_path):
    data = BufferData(vector(tmp_path))
    (tmp_path / "out.npy").unlink()
    vector(tmp_path, 3)
    assert data.text(4000, 0) == "4000.5"


def test_a_page_of_a_large_buffer_is_there_at_once(tmp_path):
    path = tmp_path / "large.npy"
    file = np.lib.format.open_memmap(path, "w+", np.float32, (1 << 28,))
    file[-1] = 7
    del file
    before = thread_time()
    data = BufferData(BufferResult("large", FLOAT, 1 << 28, Direction.OUT, str(path)))
    texts = [data.text(data.length - 1 - n, 0) for n in range(400)]
    assert thread_time() - before < 0.1  # some 3 ms; to read all of it takes more than 300
    assert texts[:2] == ["7.0", "0.0"]


def test_statistics_leave_out_what_is_not_finite(tmp_path):
    values = [1, -3, np.nan, np.inf, 5, np.nan]
    found = statistics(BufferData(buffer(tmp_path, "a", FLOAT, values)), 0, GO_ON)
    assert (found.minimum, found.maximum, found.nans, found.infinities) == (-3, 5, 2, 1)
    assert found.text == "6 values · min -3 · max 5 · mean 1 · 2 NaN · 1 infinite"
    assert found.histogram.sum() == 3


def test_statistics_leave_out_what_was_never_written(tmp_path):
    data = BufferData(vector(tmp_path, 100, unwritten=40))
    found = statistics(data, 0, GO_ON)
    assert found.text == ("100 values · min 0.5 · max 59.5 · mean 30 · 0 NaN · 40 never written")
    assert found.histogram.sum() == 60
    nothing = statistics(BufferData(vector(tmp_path, 8, unwritten=8)), 0, GO_ON)
    assert nothing.text == "8 values, none finite, 0 NaN, 0 infinite, 8 never written"


def test_statistics_count_what_was_written_like_the_pattern(tmp_path):
    result = buffer(tmp_path, "a", UCHAR, [0xCB, 1, 0xCB], unwritten=1, first_unwritten=0)
    found = statistics(BufferData(result), 0, GO_ON)
    assert (found.minimum, found.maximum, found.mean) == (1, 0xCB, (1 + 0xCB) / 2)


def test_unwritten_elements_are_told_whatever_their_type(tmp_path):
    values = np.zeros((5, 4), np.float32)
    values[3] = np.frombuffer(b"\xcb" * 16, np.float32)
    told = {"unwritten": 1, "first_unwritten": 3}
    data = BufferData(buffer(tmp_path, "a", FLOAT4, values, **told))
    assert list(data.unwritten_in(1, 5)) == [2]
    assert list(data.unwritten_in(1, 5, 2)) == [1]
    assert statistics(data, 2, GO_ON).maximum == 0


def test_few_whole_numbers_have_a_bin_each(tmp_path):
    found = statistics(BufferData(buffer(tmp_path, "a", INT, [4, 4, 6, 7])), 0, GO_ON)
    assert list(found.histogram) == [2, 0, 1, 1]
    assert list(found.edges) == [3.5, 4.5, 5.5, 6.5, 7.5]


@pytest.mark.parametrize("values", [[2.5, 2.5], [np.nan], [3e38, -3e38]])
def test_statistics_of_what_is_odd(tmp_path, values):
    found = statistics(BufferData(buffer(tmp_path, "a", FLOAT, values)), 0, GO_ON)
    assert found.histogram.sum() == np.isfinite(values).sum()


def test_work_that_nobody_waits_for_ends(tmp_path):
    stop = Event()
    stop.set()
    with pytest.raises(Stopped):
        next(chunks(BufferData(vector(tmp_path)).leaves[0].values, stop))


def test_a_line_of_many_points_keeps_its_spikes(tmp_path):
    values = np.zeros(100_000, np.float32)
    values[77_777], values[1] = 9, np.nan
    leaf = BufferData(buffer(tmp_path, "a", FLOAT, values)).leaves[0]
    line = curve(leaf, 0, 100_000, GO_ON)
    assert len(line.x) <= 4002
    assert abs(line.x[np.nanargmax(line.y)] - 77_777) < line.per_point
    near = curve(leaf, 77_770, 77_780, GO_ON)
    assert (near.per_point, list(near.x), near.y[7]) == (1, list(range(77_770, 77_780)), 9)


def test_a_picture_has_its_first_row_on_top(tmp_path):
    data = BufferData(buffer(tmp_path, "a", UCHAR, [0, 255, 128, 1, 2]))
    made = picture(data, 0, 2, ImageColouring.GREY, 100)
    assert made.pixels[..., 0].tolist() == [[0, 255], [128, 1], [2, 0]]
    assert made.pixels[..., 3].tolist() == [[255, 255], [255, 255], [255, 0]]
    assert made.text == "3 rows of 2 · darkest 0, brightest 255"


def test_floats_are_drawn_over_their_own_range_and_nan_apart(tmp_path):
    data = BufferData(buffer(tmp_path, "a", FLOAT, [-1, 1, 0, np.nan]))
    made = picture(data, 0, 2, ImageColouring.COLOUR_MAP, 100)
    assert made.pixels[0, 0, :3].tolist() == [0x44, 0x01, 0x54]
    assert made.pixels[0, 1, :3].tolist() == [0xFD, 0xE7, 0x25]
    assert made.pixels[1, 1, :3].tolist() == [255, 0, 255]
    assert (made.low, made.high) == (-1, 1)


def test_colours_are_evenly_lighter_from_the_lowest_to_the_highest(tmp_path):
    """The lightness of CIE, of which a step that is twice as large looks twice as large."""
    data = BufferData(buffer(tmp_path, "a", FLOAT, np.arange(64)))
    pixels = picture(data, 0, 64, ImageColouring.COLOUR_MAP, 100).pixels[0, :, :3] / 255
    linear = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4)
    lightness = 116 * np.cbrt(linear @ [0.2126, 0.7152, 0.0722]) - 16
    even = np.linspace(lightness[0], lightness[-1], 64)
    assert np.abs(lightness - even).max() < 3
    assert lightness[-1] - lightness[0] > 60


def test_lanes_are_colours(tmp_path):
    made = picture(BufferData(lanes(tmp_path, 4)), 0, 2, ImageColouring.CHANNELS, 100)
    assert made.pixels[0, 0, 0] == 0
    assert made.pixels[1, 1, 2] == 255


def test_large_pictures_are_thinned_out(tmp_path):
    data = BufferData(buffer(tmp_path, "a", UCHAR, np.arange(10_000) % 251))
    made = picture(data, 0, 100, ImageColouring.GREY, 30)
    assert made.pixels.shape == (25, 25, 4)
    assert made.pixels[1, 1, 0] == (4 * 100 + 4) % 251


@pytest.mark.parametrize(
    ("length", "width"), [(4096, 64), (512 * 384, 512), (512 * 600, 512), (7, 2), (1, 1)]
)
def test_a_width_is_proposed(length, width):
    assert proposed_width(length) == width


def test_files_for_other_programs(tmp_path):
    data = BufferData(lanes(tmp_path, 2))
    save_csv(data, tmp_path / "a.csv", GO_ON)
    assert (tmp_path / "a.csv").read_text() == (
        "index,x,y,z,w\n0,0.0,0.125,0.25,0.375\n1,0.5,0.625,0.75,0.875\n"
    )
    save_npy(data, tmp_path / "b.npy", GO_ON)
    assert np.array_equal(np.load(tmp_path / "b.npy"), data.array)
