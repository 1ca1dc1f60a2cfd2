"""The base of all facts."""

from msgspec import Struct

from workbench.model.citation import Citation


class Fact(Struct, frozen=True, kw_only=True, tag_field="fact"):
    """Base of all facts; ``cite`` names the lines that hold it."""

    cite: Citation
