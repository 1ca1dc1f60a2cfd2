"""Whose a managed frame is: .NET's own, or the application's."""

import re

from analyzers.owners.modules import is_framework_module
from analyzers.owners.sources import DOTNET
from workbench.model.facts import Frame

# The namespaces that Microsoft's framework design guidelines keep for .NET itself, and those of
# its own that any program may have.
_NAMESPACES = re.compile(r"^(?:System|Microsoft|mscorlib|netstandard)(?:[.+`]|$)")
_WORDS = re.compile(r"^(?:Internal|Interop|MS|Windows)(?:[.+`]|$)")
_SOURCES = re.compile(DOTNET)


def is_framework(frame: Frame) -> bool:
    """True for the frames of .NET itself: by namespace, by assembly, else by native module."""
    if frame.module is not None and is_framework_module(frame.module):
        return True
    name = frame.function
    if name is None or _NAMESPACES.match(name):
        return True
    return bool(_WORDS.match(name)) and (not frame.file or bool(_SOURCES.search(frame.file)))
