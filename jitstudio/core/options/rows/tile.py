"""Options of the tools for Tile IR: the assembler `tileiras` and the printer `tileirdisasm`."""

from __future__ import annotations

from jitstudio.core.options.spec import FLAG, OptionGroup, OptionSpec, choice, number, option

_KINDS = {
    "passed": "what it did",
    "missed": "what it might have done",
    "failed": "what it could not do",
    "analysis": "what it found",
}
_ABOUT = choice("all", "memory", "tensorcore", "none")
_BEST = 3

ROWS: tuple[OptionSpec, ...] = (
    option(
        OptionGroup.TILE,
        "Optimisation of tile functions",
        "How hard tileiras optimises: 0 not at all, 3 fully.",
        tileiras="--opt-level",
        value=number(0, _BEST, _BEST),
        default=str(_BEST),
    ),
    option(
        OptionGroup.TILE,
        "Remarks on tile functions",
        "Tells at their lines which instructions tileiras chose, and why not others.",
        tileiras="--remarks",
        value=_ABOUT,
        default="none",
    ),
    *(
        option(
            OptionGroup.TILE,
            f"Remarks on tile functions: {kind}",
            f"Remarks of tileiras on {words}, at their lines.",
            tileiras=f"--remarks-{kind}",
            value=_ABOUT,
            default="none",
        )
        for kind, words in _KINDS.items()
    ),
    option(
        OptionGroup.TILE,
        "Instrumented tile functions",
        "Puts into tile functions what compute-sanitizer needs to check their accesses to memory.",
        tileiras="--sanitize",
        value=choice("memcheck"),
    ),
    option(
        OptionGroup.TILE,
        "Preview feature of Tile IR",
        "A feature of Tile IR that may still change: calls of functions of threads.",
        tileiras="--preview",
        tileirdisasm="--preview",
        value=choice("simt"),
    ),
    option(
        OptionGroup.TILE,
        "Places in Tile IR",
        "Names, after each operation of Tile IR, the place in the source.",
        tileirdisasm="--print-debug-info",
        value=FLAG,
    ),
)
