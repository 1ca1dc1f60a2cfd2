"""What calls cost, and the caps that end the use of the cloud but not the investigation."""

import threading

from msgspec.structs import replace

from workbench.llm.lineup import Backend
from workbench.llm.prices import priced
from workbench.llm.surroundings import Surroundings
from workbench.model.model_use import Spent
from workbench.model.models import ModelTier, Usage
from workbench.settings import Settings

_BYTES_A_TOKEN = 4  # of English and code, for what no provider has counted


def estimated(size: int, answer: int = 0) -> Usage:
    """The tokens of a request of so many bytes that allows an answer of so many tokens."""
    return Usage(input_tokens=size // _BYTES_A_TOKEN, output_tokens=answer)


def with_price(usage: Usage, backend: Backend) -> Usage:
    """The usage with its price: nothing on this machine, None where no table knows it."""
    if backend.tier is ModelTier.LOCAL:
        return replace(usage, cost_usd=0.0)
    return priced(usage, backend.model, backend.seller, backend.url)


class Caps:
    """The person's bounds on the cloud, for the whole session."""

    def __init__(self, surroundings: Surroundings, settings: Settings) -> None:
        self._surroundings = surroundings
        self._dollars = settings.max_cost
        self._tokens = settings.max_tokens
        self.money: bool | None = None  # which cap was met: the one in dollars, else in tokens
        self._under_way: dict[int, Spent] = {}  # by call: several may be asked at a time
        self._lock = threading.Lock()

    def reached(self) -> str:
        """Which cap is reached, in one line; empty while none is."""
        spent = self._spent()
        if spent.cost_usd >= self._dollars:
            self.money = True
            return f"the cost cap of ${self._dollars:g} is reached"
        if spent.tokens >= self._tokens:
            self.money = False
            return f"the cap of {self._tokens} cloud tokens is reached"
        return ""

    def passed_by(self, call: int, size: int, answer: int, backend: Backend) -> str:
        """Which cap a request of so many bytes may pass, with all the tokens of the answer that it
        allows and what the calls that have not ended may take; empty where none: then it is set
        aside until the call has ended (`settle`)."""
        if why := self.reached():
            return why
        price = with_price(estimated(size, answer), backend)
        cost = price.cost_usd or 0.0
        more = Spent(input_tokens=price.input_tokens, output_tokens=answer, cost_usd=cost)
        with self._lock:
            whole = self._spent()
            for one in (*self._under_way.values(), more):
                whole = whole.plus(one)
            if whole.tokens > self._tokens:
                self.money = False
                return f"the call may pass the cap of {self._tokens} cloud tokens"
            if whole.cost_usd > self._dollars:
                self.money = True
                return f"the call may pass the cost cap of ${self._dollars:g}"
            self._under_way[call] = self._under_way.get(call, Spent()).plus(more)
        return ""

    def settle(self, call: int) -> Spent:
        """A call has ended: what was set aside for it."""
        with self._lock:
            return self._under_way.pop(call, Spent())

    def _spent(self) -> Spent:
        return self._surroundings.state.models.of(ModelTier.CLOUD)
