"""The lexers on the samples, and on what the real tools make of them."""

import pytest
from pygments.token import Error

from jitstudio.core.code import CodeKind
from jitstudio.listing.lexers.plugins import CudaCxxPlugin, NvvmIrPlugin, PtxPlugin, SassPlugin
from tests.support import SAMPLES

LISTING_LEXERS = {CodeKind.PTX: PtxPlugin(), CodeKind.SASS: SassPlugin()}
SOURCE_LEXERS = {
    ".cu": CudaCxxPlugin(),
    ".cuh": CudaCxxPlugin(),
    ".ll": NvvmIrPlugin(),
    ".ptx": PtxPlugin(),
}
SOURCES = [path for path in SAMPLES.iterdir() if path.suffix in SOURCE_LEXERS]


def errors(lexer, text):
    return [value for _, token, value in lexer.get_tokens_unprocessed(text) if token is Error]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_samples_are_understood(path):
    assert errors(SOURCE_LEXERS[path.suffix], path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("kind", LISTING_LEXERS, ids=lambda kind: kind.value)
def test_listings_are_understood(kind, listings):
    texts = {what: text for what, made, text in listings if made is kind}
    assert len(texts) >= 12
    wrong = {what: errors(LISTING_LEXERS[kind], text) for what, text in texts.items()}
    assert {what: found for what, found in wrong.items() if found} == {}


@pytest.mark.parametrize("kind", LISTING_LEXERS, ids=lambda kind: kind.value)
def test_listings_are_reproduced(kind, listings):
    for what, made, text in listings:
        if made is kind:
            tokens = LISTING_LEXERS[kind].get_tokens_unprocessed(text)
            assert "".join(value for _, _, value in tokens) == text, what
