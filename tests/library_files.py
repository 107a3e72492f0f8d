"""Files with device code inside: programs, static libraries and wheels, put together by hand."""

import io
import struct
import zipfile

_HEAD = 64


def elf(sections, kind=3):
    """An ELF file of x86-64 with these sections, by their names; a shared library unless said."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in (*sections, ".shstrtab"))
    contents = {**sections, ".shstrtab": names}
    body, rows = b"", [bytes(64)]
    for name, content in contents.items():
        body += bytes(-len(body) % 8)
        at = names.index(b"\0" + name.encode() + b"\0") + 1
        rows.append(
            struct.pack("<IIQQQQIIQQ", at, 1, 2, 0, _HEAD + len(body), len(content), 0, 0, 8, 0)
        )
        body += content
    body += bytes(-len(body) % 8)
    head = struct.pack(
        "<4s12B HHIQQQIHHHHHH",
        b"\x7fELF",
        2,
        1,
        1,
        *bytes(9),
        kind,
        62,
        1,
        0,
        0,
        _HEAD + len(body),
        0,
        _HEAD,
        0,
        0,
        64,
        len(rows),
        len(rows) - 1,
    )
    return head + body + b"".join(rows)


def archive(members):
    """A static library as GNU ar writes it, with these members."""
    long_names = b"".join(name.encode() + b"/\n" for name in members if len(name) > 15)
    made = b"!<arch>\n" + _member(b"/", b"\0\0\0\0")
    if long_names:
        made += _member(b"//", long_names)
    for name, content in members.items():
        is_long = len(name) > 15
        short = b"/%d" % long_names.index(name.encode()) if is_long else name.encode() + b"/"
        made += _member(short, content)
    return made


def _member(name, content):
    head = b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"644", len(content))
    return head + content + b"\n" * (len(content) & 1)


def wheel(members):
    """A wheel with these files, compressed."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()
