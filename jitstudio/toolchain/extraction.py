"""Takes the machine code and the PTX for a target out of a file that holds several targets.

cuobjdump unpacks fatbins, and objects and libraries of nvcc with fatbins inside. What has to be
compiled or linked before it is machine code goes through nvJitLink. A cubin keeps its PTX readably,
and a captured kernel is a zip of both.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from jitstudio.core.arch import Arch, machine_code_for, ptx_for
from jitstudio.core.bounds.folders import temporary_folder
from jitstudio.core.captured import CapturedError, KernelLanguage
from jitstudio.core.captured import unpack as unpack_kernel
from jitstudio.core.code import CodeKind
from jitstudio.core.cubin import completed_cubin, cubin_target, is_relocatable, kept_ptx
from jitstudio.core.fatbin import container_of, containers, without_names
from jitstudio.core.kernel_resources import has_code
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.ptx.skimming import without_tile_ir
from jitstudio.toolchain import locate, nvjitlink
from jitstudio.toolchain.tool_output import Report, ToolMissing, text_of

# CUDA Binary Utilities, "cuobjdump": all cubins and all PTX, a file each.
_UNPACK = ("-xelf", "all", "-xptx", "all")
# How cuobjdump calls what it unpacks: with a number if there is more than one.
_UNPACKED = re.compile(r"code(?:\.(?P<number>\d+))?\.sm_(?P<target>\w+)\.(?P<ending>cubin|ptx)")
_KINDS = {"cubin": CodeKind.CUBIN, "ptx": CodeKind.PTX}
_TARGET_OPTION = "-arch="

UNPACKED_WHOLE = 16 << 20
"""Bytes that a fatbin unpacks to, up to which all of it is unpacked, whatever it is for."""


@dataclass(frozen=True)
class Piece:
    """A piece of code that was unpacked."""

    kind: CodeKind
    arch: Arch
    content: bytes

    @property
    def title(self) -> str:
        """The target, as people write it."""
        return self.arch.compute if self.kind is CodeKind.PTX else self.arch.sm


def extract(job: Job) -> Report:
    """Finds the code for the target of the job in the only input."""
    ((ref, content),) = job.inputs
    if ref.kind is CodeKind.CUBIN:
        return _report_of(ref, content)
    wanted = _wanted(job)
    if ref.kind is CodeKind.CAPTURED:
        report = Report(options=())
        pieces = _captured(ref, content, report)
        wanted = _captured_target(pieces, wanted)
        job = replace(job, options=(f"{_TARGET_OPTION}{wanted}", *_without_target(job)))
    else:
        report = Report(options=_UNPACK)
        target = wanted if CodeKind.CUBIN in job.makes else None
        pieces = _unpacked(ref, content, target, report)
    if report.error_log:
        return report
    if CodeKind.CUBIN in job.makes:
        _take_cubin(job, pieces, wanted, report)
    else:
        report.ok = True
    if CodeKind.PTX in job.makes:
        _take_ptx(job, pieces, wanted, report)
    return report


def _report_of(ref: Ref, content: bytes) -> Report:
    text = without_tile_ir(kept_ptx(content))
    if not text:
        return Report(options=(), error_log=f"'{ref.file_name}' keeps no PTX that can be read.")
    return Report(ok=True, options=(), code={CodeKind.PTX: text.encode()})


def _captured(ref: Ref, content: bytes, report: Report) -> tuple[Piece, ...]:
    """Returns machine code and PTX of a captured kernel; the report takes errors."""
    try:
        kernel = unpack_kernel(content)
    except CapturedError as error:
        report.error_log = f"'{ref.file_name}' cannot be read: {error}."
        return ()
    pieces = tuple(
        Piece(kind, kernel.target, completed_cubin(representation.content))
        for language, kind in _CAPTURED.items()
        if (representation := kernel.representation(language)) is not None
        and kernel.target is not None
    )
    if not pieces:
        report.error_log = f"'{ref.file_name}' has neither machine code nor PTX for a known target."
    return pieces


_CAPTURED = {KernelLanguage.CUBIN: CodeKind.CUBIN, KernelLanguage.PTX: CodeKind.PTX}


def _for_target(content: bytes, wanted: Arch) -> bytes:
    """Returns a fatbin without the code for other targets, if large.

    A fatbin without machine code for the target stays as it is.
    """
    parts = [
        (entry, content[start:end])
        for container in containers(content)
        for entry, (start, end) in zip(container.entries, container.spans, strict=True)
    ]
    if sum(max(entry.size, entry.unpacked) for entry, _ in parts) <= UNPACKED_WHOLE:
        return content
    try:
        archs = [Arch.parse(entry.target) for entry, _ in parts]
    except ValueError:
        return content
    of = {
        kind: [arch for arch, (entry, _) in zip(archs, parts, strict=True) if entry.kind is kind]
        for kind in _KINDS.values()
    }
    chosen = machine_code_for(wanted, of[CodeKind.CUBIN])
    if chosen is None:
        return content
    # The text that it was made of may be there, else the one that runs on the target.
    texts = (chosen, ptx_for(wanted, of[CodeKind.PTX]))
    return container_of(
        *(
            code
            for arch, (entry, code) in zip(archs, parts, strict=True)
            if (entry.kind is CodeKind.CUBIN and arch == chosen)
            or (entry.kind is CodeKind.PTX and arch in texts)
        )
    )


def _wanted(job: Job) -> Arch:
    (target,) = (o for o in job.options if o.startswith(_TARGET_OPTION))
    return Arch.parse(target.removeprefix(_TARGET_OPTION))


def _captured_target(pieces: tuple[Piece, ...], wanted: Arch) -> Arch:
    """Returns the target of the machine code, whatever is set; of PTX, `wanted` if possible."""
    if not pieces:
        return wanted
    own = pieces[0]
    is_code = own.kind is CodeKind.CUBIN
    return own.arch if is_code or ptx_for(wanted, (own.arch,)) is None else wanted


def _without_target(job: Job) -> tuple[str, ...]:
    return tuple(option for option in job.options if not option.startswith(_TARGET_OPTION))


def _unpacked(ref: Ref, content: bytes, target: Arch | None, report: Report) -> tuple[Piece, ...]:
    """Returns everything in the file, or all for `target`; the report takes errors."""
    report.error_log = nvjitlink.too_large(ref, content)
    if report.error_log:
        return ()
    if ref.kind is CodeKind.FATBIN and target is not None:
        content = _for_target(content, target)
    with report.timed():
        pieces, status, errors = unpack(content, ref.kind, ref.file_name)
    if status < 0 or not pieces:
        report.ended(Tool.CUOBJDUMP, status, _empty(ref, errors), ref.file_name)
    return pieces


def unpack(content: bytes, kind: CodeKind, name: str) -> tuple[tuple[Piece, ...], int, str]:
    """Has cuobjdump unpack a file.

    Args:
        content: The file.
        kind: What it is.
        name: How messages call it.

    Returns:
        The pieces, machine code and PTX each in the order of the file; the exit status; and what
        cuobjdump reported.

    Raises:
        ToolMissing: There is no cuobjdump.
    """
    with temporary_folder("jitstudio-") as folder:
        # By a name of our own: those of the pieces begin with it.
        file = folder / f"code{kind.ending}"
        file.write_bytes(without_names(content))
        done = subprocess.run(
            [locate.program(Tool.CUOBJDUMP), file.name, *_UNPACK],
            cwd=folder,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        errors = text_of(done.stderr).replace(str(file), name)
        return tuple(_pieces(folder)), done.returncode, errors


def _empty(ref: Ref, errors: str) -> str:
    words = f"'{ref.file_name}' holds no machine code and no PTX that can be read."
    return f"{words} {errors}".strip()


def _pieces(folder: Path) -> Iterable[Piece]:
    """Yields the unpacked pieces, in the order of the file."""
    files = [(path, match) for path in folder.iterdir() if (match := _UNPACKED.match(path.name))]
    for path, match in sorted(files, key=lambda pair: int(pair[1]["number"] or 0)):
        kind, content = _KINDS[match["ending"]], read_file(path)
        arch = Arch.parse(match["target"])
        yield Piece(kind, (kind is CodeKind.CUBIN and cubin_target(content)) or arch, content)


def _of(kind: CodeKind, pieces: tuple[Piece, ...]) -> dict[Arch, list[Piece]]:
    by_target: dict[Arch, list[Piece]] = {}
    for piece in pieces:
        if piece.kind is kind:
            by_target.setdefault(piece.arch, []).append(piece)
    return by_target


def _take_cubin(job: Job, pieces: tuple[Piece, ...], wanted: Arch, report: Report) -> None:
    ((ref, _),) = job.inputs
    cubins, texts = _of(CodeKind.CUBIN, pieces), _of(CodeKind.PTX, pieces)
    if chosen := machine_code_for(wanted, cubins):
        _take_built(job, cubins[chosen], report)
    elif chosen := ptx_for(wanted, texts):
        text = texts[chosen][0]
        _say(report, f"There is no machine code for {wanted}: the PTX for {text.title} was taken.")
        ptx = replace(ref, kind=CodeKind.PTX)
        _link(replace(job, inputs=((ptx, text.content),)), report)
    else:
        report.error_log = (
            f"'{ref.file_name}' holds nothing that runs on {wanted}. It holds {_listed(pieces)}: "
            "choose one of these as the target."
        )


def _take_built(job: Job, cubins: list[Piece], report: Report) -> None:
    """Takes machine code that is ready, or only has to be linked."""
    first = cubins[0]
    if is_relocatable(first.content):
        trial = Report()
        _link(job, trial)
        if trial.ok and has_code(trial.code[CodeKind.CUBIN]):
            _join(report, trial)
            return
        _say(report, f"The machine code for {first.title} is not linked: it needs other modules.")
    elif len(cubins) > 1:
        _say(report, f"The first of {len(cubins)} cubins for {first.title} was taken.")
    else:
        _say(report, f"The cubin for {first.title} was taken.")
    report.code[CodeKind.CUBIN] = first.content
    report.ok = True


def _link(job: Job, report: Report) -> None:
    """Has nvJitLink make machine code, as part of this job."""
    try:
        linked = nvjitlink.link(replace(job, makes=(CodeKind.CUBIN,)))
    except ToolMissing as missing:
        report.error_log = str(missing)
        return
    _join(report, linked)


def _join(report: Report, linked: Report) -> None:
    report.ok = linked.ok
    report.ms += linked.ms
    report.code |= linked.code
    report.error_log = linked.error_log
    _say(report, linked.log)


def _take_ptx(job: Job, pieces: tuple[Piece, ...], wanted: Arch, report: Report) -> None:
    """Takes the PTX behind the machine code if present, otherwise the nearest PTX."""
    texts = _of(CodeKind.PTX, pieces)
    cubins = _of(CodeKind.CUBIN, pieces)
    best = machine_code_for(wanted, cubins)
    code = report.code.get(CodeKind.CUBIN) or (cubins[best][0].content if best else None)
    made_from = cubin_target(code) if code else None
    if made_from in texts:
        report.code[CodeKind.PTX] = texts[made_from][0].content
    elif code and (text := without_tile_ir(kept_ptx(code))):
        report.code[CodeKind.PTX] = text.encode()
    elif chosen := ptx_for(wanted, texts):
        _say(report, f"The PTX for {texts[chosen][0].title} was taken.")
        report.code[CodeKind.PTX] = texts[chosen][0].content
    elif CodeKind.CUBIN in job.makes:
        _say(report, f"There is no PTX for {wanted}.")
    else:
        ((ref, _),) = job.inputs
        report.ok = False
        report.error_log = (
            f"'{ref.file_name}' holds no PTX for {wanted}. It holds {_listed(pieces)}."
        )


def _listed(pieces: tuple[Piece, ...]) -> str:
    """Returns the pieces in words: ``machine code for sm_80 and sm_90, PTX for compute_90``."""
    words = {CodeKind.CUBIN: "machine code", CodeKind.PTX: "PTX"}
    parts = []
    for kind, word in words.items():
        titles = list(dict.fromkeys(piece.title for piece in pieces if piece.kind is kind))
        if titles:
            *most, last = titles
            parts.append(f"{word} for {', '.join(most)}{' and ' if most else ''}{last}")
    return " and ".join(parts)


def _say(report: Report, words: str) -> None:
    report.log = "\n".join(filter(None, (report.log, words)))
