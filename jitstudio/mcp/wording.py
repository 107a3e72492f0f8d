"""The messages of commands in the words of the tools.

Commands name flags of the command line and menus of the window, which a language model has not.

To add a message: a row here. `tests/mcp/test_wording.py` finds those that need one.
"""

from __future__ import annotations

import re

_TRUST = (
    r"trust the project: --trust on the command line, "
    r"File > Project > Trust this project in the window\."
)
_CHOOSES = "Whoever starts the server chooses"
_LONGER = "Whoever starts the server can give it longer"
_SENTENCES = (
    (rf"Read it first\. Then {_TRUST}", "This server runs no scripts."),
    (rf", or {_TRUST}", ". This server trusts no modules."),
    (_TRUST, "use a server that trusts the project."),
    (
        r", or allow such options: --unsafe-options on the command line, Unsafe options [^.]+\.",
        ".",
    ),
    (r"nvcc is on this machine and may compile this program: --compiler nvcc\. ", ""),
    (r"\(Launch, or jitstudio run FILE --device sim\)", "(device='sim' of 'run')"),
    (r"--device sim\b", "device='sim'"),
    (
        r"'jitstudio diff' shows where\. If that is meant, 'jitstudio check --update' [^.]+\.",
        "'diff' shows where.",
    ),
    (r"'jitstudio check --update' writes it\.", "These tools write no baselines."),
    (r"Write --timeout \S+ to give it as long\.", "Whoever starts the server sets the limit."),
    (r"; on the command line --timeout raises the limit", ""),
    (r"Look at what it includes; if all is well, trust the project\.", "Copy it there."),
    (r" \(see Lowered names\)", ""),
    (r"--set '([^'=]++)=([^']*+)'", r"variables={'\1': '\2'}"),
    (r", or its row in the form\.", "."),
    (r"Move the file there, or begin in a folder that has both\.", f"{_CHOOSES} the folder."),
    (r" Trust it only if you know who wrote it: it can then do here what you can\.", ""),
    (r"On the command line --timeout gives it longer", _LONGER),
    (r"The settings and --timeout on the command line give it longer", _LONGER),
    (r"Fill its row, or use --set", "Use 'variables'"),
    (r"\(the Target field, or --arch on the command line\)", "('target')"),
    (r"\(Link LTO in the Link panel, or --lto on the command line\)", "(link='lto')"),
    (r"\(--emit on the command line\)", "('emit')"),
    (r"\(--emit ", "('emit' "),
    (r"--emit (\w++) needs", r"emit='\1' needs"),
    (r"'jitstudio build' prints it in brackets", "'build' has it in brackets"),
    (r"--link(?![\w-])", "link='ptx'"),
    (r"\bjitstudio (?:inspect --list|inspect)\b", "'inspect'"),
)
_FIELDS = {
    "arg": "arguments",
    "set": "variables",
    "kernel": "kernel",
    "name-expression": "name_expressions",
    "arch": "target",
    "expect": "expect",
    "cooperative": "cooperative",
}
_RULES = [
    *((re.compile(pattern), words) for pattern, words in _SENTENCES),
    # `--kernel` and not `--kernel-name`, which might be an option of a compiler
    *((re.compile(rf"--{flag}(?![\w-])"), f"'{field}'") for flag, field in _FIELDS.items()),
]


def in_our_words(text: str) -> str:
    """Returns a message with fields of the tools in the place of flags and menus."""
    for pattern, words in _RULES:
        text = pattern.sub(words, text)
    return text
