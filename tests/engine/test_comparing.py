"""What of two reports is compared, in which words."""

from types import SimpleNamespace

import pytest

from workbench.engine.comparing import _WHAT


@pytest.mark.parametrize(("in_use", "said"), [(1, "1 chunk in use"), (9, "9 chunks in use")])
def test_a_heap_counts_its_chunks(in_use: int, said: str) -> None:
    heap = SimpleNamespace(in_use=in_use, free=2)
    memory = SimpleNamespace(heaps=(heap,))
    report = SimpleNamespace(analysis=SimpleNamespace(memory=memory))
    assert list(_WHAT["heap"](report)) == [f"{said}, 2 free"]  # type: ignore[arg-type]
