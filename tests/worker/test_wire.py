import os
import struct
import threading

import pytest

from jitstudio.worker.protocol import FrameTooLarge, Wire


@pytest.fixture
def ends():
    """Two wires that talk with each other."""
    there, back = os.pipe(), os.pipe()
    files = [
        os.fdopen(fd, mode)
        for pair in (there, back)
        for fd, mode in zip(pair, ("rb", "wb"), strict=True)
    ]
    yield Wire(files[2], files[1]), Wire(files[0], files[3])
    for file in files:
        file.close()


@pytest.fixture
def raw():
    """A wire, and the file that writes into it."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as incoming, os.fdopen(writer, "wb") as outgoing:
        yield Wire(incoming, outgoing), outgoing


def test_values_arrive_in_order_both_ways(ends):
    here, there = ends
    here.send([b"one"])
    here.send([b"t", b"", b"w\0\xff"])
    there.send([])
    there.send([b"several", b" frames"], [b"at once"])
    assert there.receive() == b"one"
    assert there.receive() == b"tw\0\xff"
    assert here.receive() == b""
    assert [here.receive(), here.receive()] == [b"several frames", b"at once"]


def test_a_value_larger_than_the_pipe_arrives_whole(ends):
    here, there = ends
    value = os.urandom(3 << 20)
    sending = threading.Thread(target=here.send, args=([value[:7], value[7:]],))
    sending.start()
    assert there.receive() == value
    sending.join()


def test_values_of_several_threads_do_not_mix(ends):
    here, there = ends
    senders = [
        threading.Thread(target=lambda n=n: [here.send([bytes([n])] * 5_000) for _ in range(20)])
        for n in range(4)
    ]
    for sender in senders:
        sender.start()
    received = [there.receive() for _ in range(80)]
    for sender in senders:
        sender.join()
    assert all(len(set(value)) == 1 and len(value) == 5_000 for value in received)


@pytest.mark.parametrize(
    "sent",
    [b"", b"\x05", b"\x05\0\0", struct.pack("<I", 100), struct.pack("<I", 100) + b"half"],
    ids=["nothing", "a byte", "three bytes", "a length", "half a frame"],
)
def test_a_truncated_frame_is_the_end(raw, sent):
    end, outgoing = raw
    outgoing.write(sent)
    outgoing.close()
    with pytest.raises(EOFError):
        end.receive()


def test_a_length_that_no_frame_has_is_refused_and_takes_no_memory(raw):
    end, outgoing = raw
    outgoing.write(struct.pack("<I", 2_000_000_000))
    outgoing.flush()
    with pytest.raises(FrameTooLarge, match=r"^2,000,000,000 bytes .* 1,073,741,824"):
        end.receive()


def test_a_frame_that_is_too_large_is_refused_before_a_byte_is_sent(raw):
    end, _ = raw
    with pytest.raises(FrameTooLarge, match=r"^2,000 bytes .* 1,000"):
        end.send([b"next"], [b"x" * 1_000] * 2, largest=1_000)
    end.send([b"next"])
    assert end.receive() == b"next"


def test_sending_to_nobody_is_an_os_error():
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as incoming:
        outgoing = os.fdopen(writer, "wb", buffering=0)
        end = Wire(incoming, outgoing)
        incoming.close()
        with outgoing, pytest.raises(BrokenPipeError):
            end.send([b"hello"])
