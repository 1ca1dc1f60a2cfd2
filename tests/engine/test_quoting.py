"""A dump names its source files itself; what is no source is not quoted."""

from pathlib import Path

from tests.crashes import build, crash
from tests.engine.conftest import Opener
from workbench.engine.recipe import GateMode


async def test_debug_information_cannot_pick_a_secret(open_one: Opener, tmp_path: Path) -> None:
    secret = tmp_path / "id_secret"
    secret.write_text("TOPSECRET\n" * 40)
    program = build(
        f'# 1 "{secret}"\nint peek(int *p) {{ return *p; }}\n'
        "int main(void) { return peek(0); }\n",
        "-g",
        "-O0",
    )
    session = await open_one(str(crash(program)), mode=GateMode.HEADLESS, executable=str(program))
    await session.run()
    assert session.state.conclusion is not None
    assert session.state.conclusion.frame is not None
    assert session.state.conclusion.frame.function == "peek"
    asked = [e.command for e in session.state.evidence.values() if e.command != "(opening)"]
    assert not any(c.startswith("list") or c.endswith(" frame") for c in asked)
    for identifier, item in session.state.evidence.items():
        if item.command != "(opening)":
            assert "TOPSECRET" not in await session.evidence_text(identifier)
