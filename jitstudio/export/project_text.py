"""A whole project as a single line of text, to be pasted into a message, and back.

``jitstudio-project:1:CHECKSUM:CODE``: the project's file with all texts in it, packed by zlib, in
base64 as URLs have it, and the first half of its SHA-256. Who opens such a text trusts nobody: it
is a project like any other, and opening it runs nothing.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from dataclasses import replace

from jitstudio.core.bounds.unpacking import Oversized, inflated
from jitstudio.core.code import TEXT_KINDS, CodeKind
from jitstudio.core.options import join_options, rooted
from jitstudio.core.project.format import LARGEST, ProjectFormatError, dump, load
from jitstudio.core.project.project import Member, Project
from jitstudio.core.request import Assembler
from jitstudio.export.recipe import ExportError, Recipe

_HEAD = "jitstudio-project:1:"
_TEXT = re.compile(r"jitstudio-project:(?P<version>\d{1,4}):(?P<sum>[0-9a-f]{32}):(?P<code>[\w-]*)")
_LONGEST = 8 << 20
"""Characters of a text that is opened."""


class ProjectTextError(ValueError):
    """A text is no project; the message says why, and names a remedy."""


def is_project_text(text: str) -> bool:
    """Returns whether a text begins as that of a project does."""
    return text.lstrip()[: len(_HEAD)].startswith(_HEAD.rpartition("1")[0])


def pack(project: Project) -> str:
    """Returns a project as a line of text.

    Raises:
        ExportError: It has a module that is no text, or is too large.
    """
    for member in project.members:
        if member.text is None:
            raise ExportError(
                f"'{member.name}' is in a file and no text, so that a line of text cannot hold it. "
                "Send the project's folder."
            )
    data = dump(project)
    code = base64.urlsafe_b64encode(zlib.compress(data, 9)).rstrip(b"=").decode()
    if len(data) > LARGEST or len(code) > _LONGEST:
        raise ExportError(
            f"The project has {len(data):,} bytes, which is too much for a text. Send its folder."
        )
    return f"{_HEAD}{_checksum(data)}:{code}"


def unpack(text: str) -> Project:
    """Returns the project in a text; white space that messages put into it does not matter.

    Raises:
        ProjectTextError: It is none, damaged, too large, or of a later version.
    """
    if len(text) > _LONGEST:
        raise ProjectTextError(f"The text has more than {_LONGEST:,} characters.")
    match = _TEXT.fullmatch("".join(text.split()))
    if match is None:
        raise ProjectTextError(
            "This is not a project: its text begins with jitstudio-project and has no gaps. Copy "
            "all of it."
        )
    if match["version"] != "1":
        raise ProjectTextError(
            "The text is of a later version of jitstudio: install that, or have it saved as a file."
        )
    try:
        packed = base64.urlsafe_b64decode(match["code"] + "=" * (-len(match["code"]) % 4))
        data = inflated(packed, LARGEST)
    except Oversized as error:
        raise ProjectTextError(f"The text is too large: {error}.") from None
    except (ValueError, zlib.error, binascii.Error):
        raise ProjectTextError(_DAMAGED) from None
    if _checksum(data) != match["sum"]:
        raise ProjectTextError(_DAMAGED)
    try:
        project = load(data)
    except ProjectFormatError as error:
        raise ProjectTextError(f"The text holds no project. {error}") from None
    if named := [member.name for member in project.members if member.text is None]:
        raise ProjectTextError(
            f"The text names files instead of texts ({', '.join(named)[:200]}), which a text "
            "cannot have."
        )
    return project


_DAMAGED = (
    "The text is damaged: its checksum does not fit. Copy all of it, from the first to the last."
)


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def project_of(recipe: Recipe) -> Project:
    """Returns the project of an export, with the texts as their author wrote them.

    Raises:
        ExportError: A module is no text.
    """
    request, launch = recipe.request, recipe.launch
    members = []
    for source, is_library in (
        *((source, False) for source in request.sources),
        *((library, True) for library in request.libraries),
    ):
        if source.kind not in TEXT_KINDS:
            raise ExportError(
                f"'{source.name}' is a {source.kind.title}, which a line of text cannot hold. Send "
                "the files."
            )
        members.append(
            Member(
                _inside(source.name),
                source.kind,
                source.content.decode("utf-8", "replace"),
                name_expressions=source.name_expressions,
                is_library=is_library,
                options=None if source.options is None else _typed(recipe, source.options),
            )
        )
    in_memory = {header.name: header.content for header in request.headers}
    carried = {name: recipe.texts[name] for name in recipe.headers if name not in _STAND_INS}
    headers = tuple(
        Member(name, CodeKind.HEADER, content.decode("utf-8", "replace"))
        for name, content in (carried | in_memory).items()
    )
    return Project(
        modules=tuple(members),
        headers=headers,
        arch=request.arch,
        options=_typed(recipe, request.options),
        link=request.link,
        libdevice=request.libdevice,
        join_ir=request.join_ir,
        driver_jit=request.assembler is Assembler.DRIVER,
        compiler=request.compiler,
        keep_host_code=request.keep_host_code,
        launches=(launch.spec,) if launch else (),
        kernel=launch.spec.kernel if launch else "",
        current=members[0].name,
    )


_STAND_INS = frozenset({"jitstudio/host.h", "jitstudio/platform.h"})


def _typed(recipe: Recipe, options: tuple[str, ...]) -> str:
    return join_options(rooted(options, recipe.request.folder))


def _inside(name: str) -> str:
    """Returns the name of a module without the folders of this machine."""
    return name.replace("\\", "/").rpartition("/")[2] or name


def texts_of(project: Project, contents: dict[str, bytes]) -> Project:
    """Returns a project whose members hold their texts, whatever files they are in.

    Args:
        project: The project.
        contents: What its members hold, by their names; what is not there stays as it is.
    """

    def with_content(member: Member) -> Member:
        if member.text is not None or member.name not in contents:
            return member
        if member.kind not in TEXT_KINDS:
            return member
        text = contents[member.name].decode("utf-8", "replace")
        return replace(member, text=text, path="")

    return replace(
        project,
        modules=tuple(map(with_content, project.modules)),
        headers=tuple(map(with_content, project.headers)),
    )
