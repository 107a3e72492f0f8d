"""How host code names and launches its kernels.

`macros` puts launching macros in place and `templates` says what template parameters represent, for
both readers: `instances` (on the text, for NVRTC, by `mentions` and `levels`, the templates that a
function is made of) and `program` (on the syntax tree, for forms). For the latter `called_headers`
says which headers are read with a text, `declared` is what texts declare, `values` what is known of
variables, `assumed` what is taken where nobody knows; `expressions`, `variables`, `named`
(functions), `packs`, `calls`, `runtime`, `symbols` (module variables), `aliases` (references and
pointers), `generic_lambdas` (the types of their parameters), `namespace_aliases`, `bodiless`
(functions whose body nobody sees), `jumps`, `rounds` (of loops) and `integers` (types of numbers)
follow what they are named for; `library_names` are those of headers, `nodes` asks where an
expression stands.
"""
