"""Where a server is, and whose models it serves. On this machine is what its address proves and its
list of models does not deny; all else is cloud."""

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from workbench.model.models import ModelTier

_UNIX = "unix://"
_ODD = re.compile(r"[^\x21-\x7e]|\\")  # read as one host here and as another there


_SERVICES = frozenset([
    "anthropic", "azure", "azure_ai", "azure_openai", "bedrock", "bedrock_converse", "cerebras",
    "cohere", "databricks", "deepinfra", "fireworks", "fireworks_ai", "gemini", "google-vertex",
    "groq", "hyperbolic", "nebius", "openrouter", "perplexity", "replicate", "sagemaker",
    "sambanova", "snowflake", "together", "together_ai", "vertex", "vertex_ai", "watsonx", "x-ai",
    "xai",
])  # fmt: skip
"""What gateways write before a model's name for the service that answers. Not those by whose name
open weights are published too (openai/gpt-oss-20b, google/gemma-3): their families tell."""
_VENDORS = _SERVICES | {"aws", "amazon", "google", "openai", "openai-internal"}
_CLOSED = re.compile(
    r"(?:chatgpt|gpt-?(?:35|[345](?![0-9]|all))|o[1345](?:-|$)|text-embedding-(?:3|ada)|claude|gemini|grok-[3-9]"
    r"|nova-(?:lite|micro|premier|pro)|sonar(?:-|$)|dall-e)"
)
"""Families whose weights nobody else has."""


def sold_elsewhere(name: str, owner: str = "") -> bool:
    """True for a listed model that runs at a vendor's, by its name or by who is said to own it
    (``owned_by`` of OpenAI's ``/models``); a pattern (``openai/*``) is a gateway's."""
    *services, family = name.lower().split("/")
    return (
        "*" in name
        or owner.lower() in _VENDORS
        or any(part in _SERVICES for part in services)
        or any(_CLOSED.match(part) for part in re.split("[:.]", family))
    )


class BadAddress(ValueError):
    """An address that names no server; the message repeats no secret of it."""


@dataclass(frozen=True)
class Place:
    """A server's address. ``shown`` is fit for a screen: no user, password or query."""

    url: str = field(repr=False)
    shown: str
    tier: ModelTier
    socket: str | None = None


def place_of(address: str, *, port: int | None = None, path: str = "") -> Place:
    """Read ``http(s)://host[:port][/path]``, ``host[:port]`` or ``unix:///path/to/socket``.

    ``port`` and ``path`` stand in for what is not written. Only ``localhost``, a loopback
    address and a Unix socket are this machine: a name may be resolved to anything later, and the
    machine's own name is reached over a network by others too. Raises `BadAddress`.
    """
    text = address.strip()
    if _ODD.search(text):
        raise BadAddress("a model server's address has no spaces, backslashes or odd characters")
    if text.startswith(_UNIX):
        socket = unquote(text.removeprefix(_UNIX))
        if not socket.startswith("/"):
            raise BadAddress("a unix:// address names the whole path of a socket")
        return Place(f"http://localhost{path}", f"{_UNIX}{socket}", ModelTier.LOCAL, socket)
    if "://" not in text:
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        host, written_port = parts.hostname, parts.port
    except ValueError as error:
        raise BadAddress("the address of a model server cannot be read") from error
    if parts.scheme not in ("http", "https") or not host:
        raise BadAddress("a model server's address begins with http://, https:// or unix://")
    # A server listens on ``0.0.0.0``; whoever calls it there means this machine.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    shown_host = f"[{host}]" if ":" in host else host
    number = written_port if written_port is not None else port
    netloc = f"{shown_host}:{number}" if number is not None else shown_host
    where = parts.path.rstrip("/") or path
    shown = f"{parts.scheme}://{netloc}{where}"
    user = f"{quote(unquote(parts.username))}" if parts.username else ""
    if parts.password:
        user += f":{quote(unquote(parts.password))}"
    at = f"{user}@" if user else ""
    query = f"?{parts.query}" if parts.query else ""
    return Place(f"{parts.scheme}://{at}{netloc}{where}{query}", shown, _tier(host))


def _tier(host: str) -> ModelTier:
    if host == "localhost":
        return ModelTier.LOCAL
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return ModelTier.CLOUD
    mapped = getattr(address, "ipv4_mapped", None)
    loopback = address.is_loopback or (mapped is not None and mapped.is_loopback)
    return ModelTier.LOCAL if loopback else ModelTier.CLOUD
