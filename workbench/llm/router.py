"""Which tier a question goes to: what its complexity asks for, what a person lets help, what is
there. Pure: the facade says what is there."""

from collections.abc import Mapping

from msgspec import Struct

from workbench.model.models import Complexity, ModelTier, TierWish

_FITTING = {
    Complexity.SIMPLE: (),
    Complexity.MODERATE: (ModelTier.LOCAL,),
    Complexity.COMPLEX: (ModelTier.CLOUD, ModelTier.LOCAL),
}
_WISHED = {
    TierWish.OFFLINE: (),
    TierWish.LOCAL: (ModelTier.LOCAL,),
    TierWish.CLOUD: (ModelTier.CLOUD, ModelTier.LOCAL),
}


class Route(Struct, frozen=True, kw_only=True):
    """``fitting`` is the tier that the question asks for (None: code settles it), ``tiers`` are the
    ones to try in turn, ``why`` says for each that is passed over why it is."""

    fitting: ModelTier | None
    tiers: tuple[ModelTier, ...] = ()
    why: tuple[tuple[ModelTier, str], ...] = ()

    def reason(self) -> str:
        """Why a lower tier than the fitting one is taken; empty where it is not."""
        return "; ".join(text for _, text in self.why)


def route(complexity: Complexity, wish: TierWish, missing: Mapping[ModelTier, str]) -> Route:
    """Simple questions are code's, moderate ones go to a model of this machine, complex ones to the
    cloud; a tier that is ``missing`` (with the reason) falls to the next lower one. A tier that the
    person named takes moderate and complex questions alike."""
    fitting = _FITTING[complexity]
    if fitting and wish is not TierWish.AUTO:
        fitting = _WISHED[wish]
    return Route(
        fitting=fitting[0] if fitting else None,
        tiers=tuple(tier for tier in fitting if tier not in missing),
        why=tuple((tier, missing[tier]) for tier in fitting if tier in missing),
    )
