"""Texts for vectors go elsewhere like a question: redacted, shown, allowed, written down."""

from pathlib import Path

import pytest

from tests.llm.desk import Desk, backend, models
from tests.llm.scripted import Scripted, embeds
from tests.llm.test_leaving import DUMP, PRIVATE
from workbench.llm.lineup import Backend
from workbench.llm.models import RoutedModels
from workbench.llm.port import NoModel
from workbench.model.model_events import PayloadSent
from workbench.model.models import Content, ModelTier

NAMES = ("secret", "token", "email", "ip", "home", "dumped")


def embedding(desk: Desk, server: Backend, **wish: bool) -> RoutedModels:
    made = models(desk, [server], **wish)
    made._embedder = server
    return made


async def test_what_goes_out_holds_nothing_private(scripted: Scripted, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.private = [("PUDDING", PRIVATE["dumped"])]
    scripted.script(embeds([0.5, 0.25]))
    server = backend(scripted, ModelTier.CLOUD)
    routed = embedding(desk, server)
    _, vectors = await routed.embed([DUMP])
    await routed.close()
    assert vectors == [[0.5, 0.25]]
    (sent,) = desk.of(PayloadSent)
    body = desk.payload(sent.id).decode()
    assert not [name for name in NAMES if PRIVATE[name] in body]
    assert "connect_db" in body
    assert desk.shown


@pytest.mark.parametrize("answer", [None, frozenset({Content.MEMORY})])
async def test_a_no_or_a_kind_that_stays_lets_nothing_out(
    scripted: Scripted, tmp_path: Path, answer: frozenset[Content] | None
) -> None:
    desk = Desk(tmp_path, answer)
    routed = embedding(desk, backend(scripted, ModelTier.CLOUD))
    with pytest.raises(NoModel):
        await routed.embed([DUMP])
    await routed.close()
    assert not desk.of(PayloadSent)
    assert not scripted.asked


async def test_without_leave_no_server_elsewhere_is_asked(
    scripted: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    routed = embedding(desk, backend(scripted, ModelTier.CLOUD), allow_cloud=False)
    with pytest.raises(NoModel):
        await routed.embed([DUMP])
    await routed.close()
    assert not desk.shown
    assert not scripted.asked
