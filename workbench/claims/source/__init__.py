"""Statements of source code, parsed from what a debugger listed.

`listings` finds the source in a stored output, `rows` says what it states, `precedes` what runs
before what, `writers` who writes a member, `function_extent` where a function begins and ends.
Pure; a language's grammar is imported when the first listing of it is read.
"""

from workbench.claims.source.listings import listings
from workbench.claims.source.order import function_extent, is_certain, precedes, same_function
from workbench.claims.source.rows import rows, rows_of, writers
from workbench.claims.source.text import (
    FILE_SCOPE,
    Row,
    SourceText,
    is_function,
    language_of,
    last_name,
    normal,
)
from workbench.claims.source.uses import uses
