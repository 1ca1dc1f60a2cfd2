"""What a model's own words name that stands nowhere in the evidence: marked, never struck."""

from workbench.agents.ports import Ports
from workbench.agents.tokens import Kind, extract, stands_in

_MOST = 40
_SMALL = 16
"""Counts and ordinals of everyday words."""


async def unseen_of(ports: Ports, text: str) -> tuple[str, ...]:
    """Numbers, addresses and symbols of a text that no item of the evidence holds, each once."""
    tokens = {
        token.text: token
        for token in extract(text)
        if token.kind is not Kind.QUOTE and not (token.value is not None and token.value < _SMALL)
    }
    for name in ports.state.evidence:
        if not tokens:
            break
        held = await ports.text(name)
        tokens = {key: token for key, token in tokens.items() if not stands_in(token, held)}
    return tuple(tokens)[:_MOST]
