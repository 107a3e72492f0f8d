"""The tools that `jitstudio mcp` serves to language models, over the Model Context Protocol.

`tools` has the tools, `parameters` their fields, `summaries` says results in few words, `answers`
fits these into the room of an answer, `wording` names things as the tools do, and `server` lets
calls run beside each other and be cancelled.
"""
