"""What a call costs, by the table of genai-prices that is installed: nothing is fetched."""

from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version

import genai_prices
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import StartDateConstraint
from msgspec.structs import replace

from workbench.model.models import Usage


def priced(usage: Usage, model: str, seller: str, url: str) -> Usage:
    """The usage with its price in dollars, None where the table has none.

    The seller is found by its name or its address; a model of the same name that another
    one sells is priced by nobody.
    """
    counted = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.input_tokens),
        output_tokens=usage.output_tokens,
    )
    for by_name in (True, False) if seller else (False,):
        try:
            if by_name:
                price = genai_prices.calc_price(counted, model, provider_id=seller)
            else:
                price = genai_prices.calc_price(counted, model, provider_api_url=url)
        except (LookupError, ValueError):
            continue
        return replace(usage, cost_usd=float(price.total_price))
    return usage


def window(model: str, seller: str, url: str) -> int | None:
    """The tokens of context that the table has of a seller's model, None where it has none."""
    for by in ((seller, None), (None, url)) if seller else ((None, url),):
        try:
            return get_snapshot().find_provider_model(model, None, *by)[1].context_window
        except (LookupError, ValueError):
            continue
    return None


@cache
def price_table() -> str:
    """Which table the prices are from, and the date of its newest price."""
    today = datetime.now(UTC).date()
    constraints = (
        getattr(part, "constraint", None)
        for provider in get_snapshot().providers
        for model in provider.models
        for part in (
            *(model.prices if isinstance(model.prices, list) else ()),
            *(getattr(model, "price_variants", None) or ()),
        )
    )
    dates = [
        one.start_date
        for one in constraints
        if isinstance(one, StartDateConstraint) and one.start_date <= today
    ]
    newest = f" of {max(dates)}" if dates else ""
    return f"genai-prices {version('genai-prices')}{newest}"
