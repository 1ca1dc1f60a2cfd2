"""Whose a managed frame is: .NET's own, or the application's."""

import re

from analyzers.owners.modules import is_framework_module
from workbench.model.facts import Frame

# The namespaces that Microsoft's framework design guidelines keep for .NET itself.
_NAMESPACES = re.compile(
    r"^(?:System|Microsoft|Internal|Interop|MS|Windows|mscorlib|netstandard)(?:[.+`]|$)"
)


def is_framework(frame: Frame) -> bool:
    """True for the frames of .NET itself: by namespace, by assembly, else by native module."""
    if frame.module is not None and is_framework_module(frame.module):
        return True
    return frame.function is None or bool(_NAMESPACES.match(frame.function))
