"""Private names of modules without the path of the source, which is part of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_MARK = "_INTERNAL_"
_NAME = re.compile(r"[\w$.]++")
# The length of the whole part, a hash of the path, and the length of the file name that follows.
_HEAD = re.compile(rf"(?<!\d)(\d{{0,18}}+){_MARK}[0-9a-f]{{8}}_(\d{{1,18}}+)_")


class PublicNames:
    """Names without the part that changes when the source is moved.

    Two files may each have a private function of one name: only the path distinguishes these, and
    stays.

    Args:
        texts: All texts with private names.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        marked = (text for text in texts if _MARK in text)
        names = {name for text in marked for name in _NAME.findall(text) if _MARK in name}
        public = {name: _without_path(name) for name in names}
        counts = Counter(public.values())
        self._public = {name: short for name, short in public.items() if counts[short] == 1}

    def within(self, text: str) -> str:
        """Returns a text with the names as they are compared."""
        if _MARK not in text:
            return text
        return _NAME.sub(lambda name: self._public.get(name[0], name[0]), text)


def _without_path(name: str) -> str:
    parts: list[str] = []
    at = 0
    for head in _HEAD.finditer(name):
        if head.start() < at:
            continue
        whole, file = head.groups()
        # The length without the path: digits of the name in front may have run into it.
        length = str(int(whole) - int(file) - len(file)) if whole else ""
        parts += [name[at : head.start()], length, _MARK]
        at = head.end() + int(file)
    return "".join([*parts, name[at:]])
