"""The report's part on models: what was asked of which, what it cost, where a lower tier worked."""

from workbench.model.model_use import ModelUse
from workbench.model.models import ModelTier
from workbench.model.report import CloudUsage, LocalUsage, ModelUsage, Report, Usage
from workbench.model.text import printable


def usage_of(use: ModelUse) -> Usage:
    """All calls, answered or not; one that the disk answered is a call without tokens. A price that
    no table knows is None for the model and left out of the sum."""
    local, cloud = use.of(ModelTier.LOCAL), use.of(ModelTier.CLOUD)
    return Usage(
        local=LocalUsage.of(local),
        cloud=CloudUsage.of(cloud, unpriced_calls=cloud.unpriced, payloads=len(use.payloads)),
        models=tuple(
            ModelUsage.of(
                spent,
                name=model,
                tier=tier.value,
                role=role.value,
                cost_usd=None if spent.unpriced else spent.cost_usd,
            )
            for (model, tier, role), spent in sorted(use.spent.items())
        ),
        prices=use.prices or None,
    )


def degraded_of(use: ModelUse) -> tuple[str, ...]:
    """Where a lower tier than the fitting one worked, and why, each once."""
    lines = [f"{one.wanted} → {one.to or 'code alone'}: {one.why}" for one in use.degraded]
    return tuple(dict.fromkeys(lines))


def models_table(report: Report) -> list[tuple[str, str]]:
    """What a reader wants to know of models, as name and value; nothing for a run without any."""
    ai, usage = report.analysis.ai_analysis, report.usage
    if not usage.models and not ai.degraded:
        return []
    rows = [("tier", ai.tier)]
    for one in usage.models:
        if one.tier == ModelTier.CLOUD:
            cost = ", price not known" if one.cost_usd is None else f", ${one.cost_usd:.4f}"
        else:
            cost = ""
        calls = "1 call" if one.calls == 1 else f"{one.calls} calls"
        rows.append(
            (
                f"{one.name}, {one.role}",
                f"{calls}, {one.input_tokens:,} tokens in, {one.output_tokens:,} out{cost}",
            )
        )
    if usage.cloud.calls:
        count = usage.cloud.payloads
        left = f"{count} {'request' if count == 1 else 'requests'} left this machine"
        rows.append(("cloud", f"${usage.cloud.cost_usd:.4f} in all ({usage.prices}); {left}"))
    rows += [("degraded", line) for line in ai.degraded]
    return [(printable(name), printable(value)) for name, value in rows]
