"""Opens samples as tabs. Needs no commands: the first start shows a sample before there are any."""

from __future__ import annotations

from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.files import kind_of_file
from jitstudio.samples import Sample, SampleFile


def open_sample(sample: Sample, documents: Documents, settings: BuildSettings) -> None:
    """Open a sample as new tabs, with the target and the link it was written for."""
    for document in documents:
        # The link of a sample shall not take in what happens to be open.
        document.included = False
    opened = [_open_file(file, documents) for file in sample.files]
    if sample.arch is not None:
        settings.arch = sample.arch
    settings.link = sample.link
    documents.current = opened[0]


def _open_file(file: SampleFile, documents: Documents) -> Document:
    document = documents.named(file.path.name)
    content = file.path.read_bytes()
    # A header that has been edited is still the one that the sample includes.
    fits = document is not None and (document.is_header or document.content == content)
    if document is None or not fits:
        name = documents.unique_name(file.path.name)
        document = Document(name, kind_of_file(file.path), content)
        document.name_expressions = file.name_expressions
        documents.add(document)
    document.included = True
    return document
