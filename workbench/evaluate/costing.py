"""``--dry-run``: cases, calls, tokens and dollars by stage and model, before anything is spent."""

from collections import Counter

from workbench.estimating import THOUGHT, Work, estimate
from workbench.evaluate.folder import RunFolder
from workbench.evaluate.opinion import SAMPLES, may_be_needed
from workbench.evaluate.stages import Wanted, generate, still_to_do, writes
from workbench.model.models import ModelWish
from workbench.model.text import counted
from workbench.settings import Settings


def costs(folder: RunFolder, wanted: Wanted, wish: ModelWish, settings: Settings) -> str:
    """What is left to be done and what that would cost; nothing is asked. Analysis and cases are
    made, which costs nothing; an investigation is estimated as `triage --dry-run` does."""
    cases = wanted.of(generate(folder, wanted))
    todo = still_to_do(folder, wanted, cases)
    left = [case for case in cases if case.id in todo]
    kinds = Counter(case.kind for case in left)
    asking = (kinds["triage"] + kinds["statements"]) if wanted.wish else 0
    one = estimate(Work.INVESTIGATION, settings, wish)
    written = "1 call of a model of this machine" if writes(folder, wanted) else "no calls"
    lines = [f"analyze, generate: {len(cases)} cases, {written}, $0"]
    lines += [f"execute: {len(left)} cases: " + ", ".join(f"{n} {k}" for k, n in kinds.items())]
    for tier in one.tiers:
        if tier.tier == "offline" or not (asking and tier.used):
            continue
        calls, given, taken = (
            asking * pair[0] for pair in (tier.calls, tier.input_tokens, tier.output_tokens)
        )
        # As `estimating` takes it: one part is the answer, the rest of the effort's factor thought.
        thought = round(taken * (1 - 1 / THOUGHT[wish.effort]))
        if tier.tier == "local":
            cost = "$0"
        else:
            cost = "price not known" if tier.usd is None else f"${asking * tier.usd[0]:.2f}"
        lines.append(
            f"  {tier.tier} {tier.model or '(no model is set)'}: {calls:,} calls, {given:,} tokens "
            f"in, {taken:,} out, of these {thought:,} thought, {cost}"
        )
    judged = sum(map(may_be_needed, left)) if asking else 0
    if judged:
        lines.append(
            f"  and up to {SAMPLES * judged} short calls for {counted(judged, 'opinion')}, where "
            "all else leaves a case open"
        )
    if not asking:
        lines.append("  no model: no calls, no tokens, $0")
    lines.append(f"evaluate: no calls, $0. Prices: {one.prices}.")
    if wanted.max_cost is not None:
        lines.append(f"It stops before ${wanted.max_cost:g} is exceeded.")
    return "\n".join(lines)
