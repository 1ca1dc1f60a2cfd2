"""What Rust's own bounds check was called with is told beside the panic."""

import pytest

from analyzers.base import Document
from analyzers.patterns.language import Panic
from analyzers.registry import analyze
from workbench.agents.grounding import check_claim
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import FactBook

STACK = """\
#0  0x00007f3bb82af472 in __GI_abort () at ./stdlib/abort.c:79
#1  0x0000563b52f7e5fe in std::panicking::rust_panic () at library/std/src/panicking.rs:886
#2  0x0000563b52fa2ddc in core::panicking::panic_fmt () at library/core/src/panicking.rs:80
#3  0x0000563b52fa2bcc in core::panicking::{check} () at library/core/src/panicking.rs:271
#4  0x0000563b52f68653 in {caller} (self=..., index=41) at /rustc/5980/library/core/src/index.rs:19
#5  0x0000563b52f67d3a in jar::take (jars=0x7ffd95c36ac8, n=41) at jar.rs:7
#6  0x0000563b52f67ca6 in jar::main () at jar.rs:12
"""


@pytest.mark.parametrize(
    ("check", "caller", "told"),
    [
        ("panic_bounds_check", "core::slice::index::index<i32>", ["bounds_check", "`index=41`"]),
        ("panic_bounds_check", "jar::shelf", ["bounds_check"]),
        ("panic_nounwind", "core::slice::index::index<i32>", []),
    ],
)
def test_a_refused_index_is_told(check: str, caller: str, told: list[str]) -> None:
    text = STACK.format(check=check, caller=caller)
    facts = FactBook(analyze(Document("E1", "bt 64", "gdb", text)).facts)
    verdict = Panic().evaluate(facts)
    said = [claim.text for claim in verdict.claims[1:]]
    assert len(said) == len(told)
    assert all(part in text for part, text in zip(told, said, strict=True))
    item = Evidence(
        id="E1", command="bt 64", source=Source.DEBUGGER, intent="", at="", sha256="",
        size=len(text), lines=text.count("\n"), call_hash="",
    )  # fmt: skip
    for claim in verdict.claims:
        assert not check_claim(claim, {"E1": item}, {"E1": text}.__getitem__)
