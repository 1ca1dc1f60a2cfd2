"""What detect-secrets' plugins look for: half a second to import."""

import re
from typing import Any

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.high_entropy_strings import (
    Base64HighEntropyString,
    HexHighEntropyString,
)

_NOT_ASKED = {"IPPublicDetector", "PrivateKeyDetector", "KeywordDetector"}
_PLUGINS: list[Any] = list(get_mapping_from_secret_type_to_class().values())

ENTROPIES: tuple[Any, Any] = Base64HighEntropyString(), HexHighEntropyString()
PATTERNS: tuple[re.Pattern[str], ...] = tuple(
    pattern
    for plugin in _PLUGINS
    if issubclass(plugin, RegexBasedDetector) and plugin.__name__ not in _NOT_ASKED
    for pattern in plugin().denylist
)
"""The patterns of the plugins that have some."""
