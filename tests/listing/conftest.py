from dataclasses import replace

import pytest

from jitstudio.core.arch import DEFAULT_ARCH
from jitstudio.core.code import CodeKind, Header, Source, kind_of
from jitstudio.core.request import BuildRequest
from jitstudio.help.samples import samples

OPTIONS = ((), ("-G",))


@pytest.fixture(scope="session")
def listings(tools):
    """The PTX and SASS that the real tools make of all samples: (what, kind, text)."""
    return [
        (f"{sample.title} {' '.join(options)}", artifact.kind, artifact.text)
        for sample in samples()
        if sample.script is None
        for options in OPTIONS
        for artifact in tools.attempt(_request(sample, options)).artifacts
    ]


def _request(sample, options):
    modules = [file for file in sample.files if file.path.suffix != ".cuh"]
    headers = [file for file in sample.files if file.path.suffix == ".cuh"]
    return BuildRequest(
        sources=tuple(
            Source(
                name=file.path.name,
                kind=kind_of(file.path.name),
                content=file.path.read_bytes(),
                name_expressions=file.name_expressions,
            )
            for file in modules
        ),
        arch=sample.arch or DEFAULT_ARCH,
        emit=frozenset({CodeKind.PTX, CodeKind.SASS}),
        link=sample.link,
        options=options,
        headers=tuple(Header(file.path.name, file.path.read_bytes()) for file in headers),
    )


@pytest.fixture
def spelt():
    """Lex lines and spell their tokens: `value Type`, one string for each."""

    def spell(lexer, *lines):
        spelt, state = [], 0
        for line in lines:
            tokens, state = lexer.lex_line(line, state)
            spelt += [
                f"{line[start : start + length]} {str(token).removeprefix('Token.')}"
                for start, length, token in tokens
            ]
        return spelt

    return spell


@pytest.fixture(scope="session")
def debug_cubin(tools, tmp_path_factory):
    """The path of a sample's cubin with all debug information."""
    sample = next(sample for sample in samples() if sample.title.startswith("Histogram"))
    request = replace(_request(sample, ("-G",)), emit=frozenset({CodeKind.CUBIN}))
    path = tmp_path_factory.mktemp("cubin") / "histogram.cubin"
    path.write_bytes(tools.cubin(request).content)
    return path
