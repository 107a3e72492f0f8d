"""Reads what is told of a failure, and carries out what is offered."""

import re
from dataclasses import replace

from jitstudio.core.arch import Arch
from jitstudio.core.diagnostics import TEXT_FIXES, FixKind, edit_for, edits_for, fixes_at_once
from jitstudio.core.explanations import explanations
from jitstudio.core.options import without_option
from jitstudio.core.request import Assembler, CudaCompiler, LinkMode

# What the user has to choose cannot be tried without one.
CHOSEN = (FixKind.ADD_INCLUDE_FOLDER, FixKind.OPEN_FILES)


def is_told(id_, diagnostic):
    """Whether the diagnostic carries this explanation."""
    texts = [t for e in explanations() if e.id == id_ for t in (e.text, *e.text_in.values())]
    forms = [re.sub(r"\\\$(\\\{)?\w+(\\\})?", ".*", re.escape(text)) for text in texts]
    return any(re.fullmatch(form, diagnostic.explanation) for form in forms)


def told(id_, result):
    """The first diagnostic that carries this explanation."""
    found = [d for d in result.diagnostics if is_told(id_, d)]
    assert found, [(d.message, d.explanation) for d in result.diagnostics]
    return found[0]


def mended(failed, fix):
    """The request with the fix carried out."""
    match fix.kind:
        case FixKind.SET_ARCH:
            return replace(failed, arch=Arch.parse(fix.value))
        case FixKind.SET_LINK_MODE:
            return replace(failed, link=LinkMode(fix.value))
        case FixKind.ADD_OPTION:
            return replace(failed, options=(*failed.options, fix.value))
        case FixKind.REMOVE_OPTION:
            return replace(failed, options=without_option(failed.options, fix.value))
        case FixKind.USE_LIBDEVICE:
            return replace(failed, libdevice=True)
        case FixKind.USE_NVJITLINK:
            return replace(failed, assembler=Assembler.NVJITLINK)
        case FixKind.USE_NVCC:
            return replace(failed, compiler=CudaCompiler.NVCC)
    return replace(failed, sources=tuple(mended_source(source, fix) for source in failed.sources))


def mended_all(failed, result):
    """The request with all that is offered carried out in one step."""
    fixes = fixes_at_once(result.diagnostics)
    for fix in fixes:
        if fix.kind not in TEXT_FIXES:
            failed = mended(failed, fix)
    sources = []
    for source in failed.sources:
        text = source.content.decode()
        of_it = [fix for fix in fixes if fix.kind in TEXT_FIXES and fix.file == source.name]
        for edit in edits_for(of_it, text):
            text = f"{text[: edit.start]}{edit.text}{text[edit.end :]}"
        sources.append(replace(source, content=text.encode()))
    return replace(failed, sources=tuple(sources))


def mended_source(source, fix):
    if source.name != fix.file:
        return source
    if fix.kind is FixKind.ADD_NAME_EXPRESSION:
        kept = tuple(e for e in source.name_expressions if e != fix.replaces)
        return replace(source, name_expressions=(*kept, fix.value))
    text = source.content.decode()
    edit = edit_for(fix, text)
    assert edit is not None
    return replace(source, content=f"{text[: edit.start]}{edit.text}{text[edit.end :]}".encode())
