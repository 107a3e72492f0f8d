"""Opens samples as tabs. Needs no commands: the first start shows a sample before there are any."""

from __future__ import annotations

from jitstudio.core.code import TEXT_KINDS
from jitstudio.core.request import LinkMode
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.document_files import kind_of_file
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.help.samples import Sample, SampleFile


def open_sample(sample: Sample, documents: Documents, settings: BuildSettings) -> None:
    """Opens a sample in new tabs, with its target architecture and a link of its own."""
    program = _program(sample, documents, settings)
    opened = [_open_file(file, program, documents) for file in sample.files]
    if sample.arch is not None:
        settings.arch = sample.arch
    settings.turn_to(program)
    settings.link = sample.link
    documents.current = opened[0]


def _program(sample: Sample, documents: Documents, settings: BuildSettings) -> str:
    """Returns the program of a sample, as opened or new: its link must not change other builds."""
    if sample.link is LinkMode.NONE and settings.link_of("") is LinkMode.NONE:
        return ""
    for program in {document.program for document in documents} - {""}:
        if all(_opened(file, program, documents) for file in sample.files):
            return program
    return documents.unique_program(sample.title)


def _opened(file: SampleFile, program: str, documents: Documents) -> Document | None:
    """The tab of a file of a sample; an edited header still serves the includes of the sample."""
    name, content = file.path.name, file.path.read_bytes()
    for document in documents:
        if document.is_header and document.name == name:
            return document
        if document.program == program and document.content == content:
            return document
    return None


def _open_file(file: SampleFile, program: str, documents: Documents) -> Document:
    document = _opened(file, program, documents)
    if document is None:
        name = documents.unique_name(file.path.name)
        kind = kind_of_file(file.path)
        # What is no text is in its file only: a session keeps none of it.
        path = file.path if kind not in TEXT_KINDS else None
        document = Document(name, kind, file.path.read_bytes(), path)
        document.name_expressions = file.name_expressions
        document.program = program
        documents.add(document)
    document.included = True
    return document
