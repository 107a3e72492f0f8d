"""`jitstudio cache`: where results of earlier builds are kept, how many bytes, and their end."""

from __future__ import annotations

import json

from jitstudio.cache.store import Store
from jitstudio.command_options.other import CacheOptions
from jitstudio.commands import exit_codes
from jitstudio.commands.json_output import cache_object
from jitstudio.system.terminal import print_error, say


def run(options: CacheOptions) -> int:
    """Reports on the cache, and empties it if asked; returns `USAGE` for a cache with a problem."""
    store = Store()
    cleared = store.clear() if options.clear else None
    size, limit = store.size(), store.limit()
    problem = store.take_problem()
    store.close()
    if options.json:
        report = cache_object(str(store.folder), size, limit, cleared, problem)
        say(json.dumps(report, indent=2))
    elif problem:
        print_error(problem)
    else:
        if cleared is not None:
            say(f"{cleared:,} bytes cleared")
        say(f"{size:,} of at most {limit:,} bytes in {store.folder}")
    return exit_codes.USAGE if problem else exit_codes.BUILT
