"""Fatbins put together by hand, in the layout that nvFatbin 13 writes."""

import struct


def entry(kind, target, code, flags=0x11, name=b"k\0"):
    head = struct.pack(
        "<HHIQIIIIIIQQQ",
        kind,
        0x101,
        64 + 8,
        len(code),
        0,
        64,
        8,
        target,
        64,
        len(name),
        flags,
        0,
        0,
    )
    return head + name.ljust(8, b"\0") + code


def container(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body
