"""What the use of models leaves in the journal: every call, every fall to a lower tier, and each
payload that left the machine."""

from workbench.model.models import Content, ModelTier, Role, Usage
from workbench.model.session_events import Event


class ModelEvent(Event, frozen=True, kw_only=True):
    """Base of what calls of models leave in the journal."""


class ModelsChosen(ModelEvent, frozen=True, kw_only=True, tag="models-chosen"):
    """Which models this run may ask: names by tier, None where none answers or may be used;
    ``why`` is one line, ``context`` the window of the one that complex questions go to, in tokens
    (None: not told)."""

    local: str | None = None
    cloud: str | None = None
    why: str = ""
    context: int | None = None


class PayloadSent(ModelEvent, frozen=True, kw_only=True, tag="payload-sent"):
    """A request left this machine: recorded before its first byte. ``id`` names the file in the
    session's ``payloads/`` that holds the body, which is the one of ``sha256`` and ``size``
    (bytes). ``contents`` are the kinds of the dump's content in it."""

    id: str
    url: str
    sha256: str
    size: int
    provider: str
    model: str
    role: Role
    prompt: str
    contents: tuple[Content, ...] = ()


class ModelAnswered(ModelEvent, frozen=True, kw_only=True, tag="model-answered"):
    """A call came to its end. ``failed`` is empty, or the one line that says why it gave nothing;
    its tokens were spent all the same. ``cached`` answers come from the disk and cost nothing:
    their ``usage`` is what the first one took. ``prices`` names the table behind ``cost_usd``."""

    provider: str
    model: str
    tier: ModelTier
    role: Role
    prompt: str
    usage: Usage
    seconds: float = 0.0
    cached: bool = False
    failed: str = ""
    prices: str = ""


class ModelDegraded(ModelEvent, frozen=True, kw_only=True, tag="model-degraded"):
    """A lower tier than the fitting one works on; ``to`` is None where that is code alone."""

    wanted: ModelTier
    to: ModelTier | None
    why: str


AnyModelEvent = ModelsChosen | PayloadSent | ModelAnswered | ModelDegraded
