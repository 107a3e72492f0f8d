"""A digest of cubins that leaves out line tables, the only part with paths."""

from __future__ import annotations

import hashlib
import inspect
import struct


def code_digest(cubin: bytes) -> str:
    """Returns the SHA-256 of all sections of a cubin but those of the line table.

    Args:
        cubin: An ELF file of 64 bits.
    """
    (table,) = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    heads = [struct.unpack_from("<IIQQQQ", cubin, table + size * n) for n in range(count)]
    digest = hashlib.sha256(cubin[48:52])  # which has the target
    for name, kind, _, _, start, length in heads:
        begin = heads[names][4] + name
        label = cubin[begin : cubin.index(b"\0", begin)]
        if b"debug" not in label:
            # Section 8 has no bytes in the file.
            digest.update(label + (b"" if kind == 8 else cubin[start : start + length]))
    return digest.hexdigest()


SOURCE = inspect.getsource(code_digest)
"""The function as exported scripts have it; it needs hashlib and struct."""
