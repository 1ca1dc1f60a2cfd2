"""What listed source says of a question is worked out once, however many chains ask it."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar


class Known(Protocol):
    """What is asked: it keeps its answers, and has ``asked`` while one waits for others, which are
    then as far as is known."""

    found: dict[tuple[object, ...], Any]
    asked: set[str]


_P = ParamSpec("_P")
_R = TypeVar("_R")
_K = TypeVar("_K", bound=Known)


def once(work: Callable[Concatenate[_K, _P], _R]) -> Callable[Concatenate[_K, _P], _R]:
    """Keep the answers of what depends on the source and its stacks alone; no iterators."""

    @wraps(work)
    def answered(code: _K, /, *args: _P.args, **named: _P.kwargs) -> _R:
        key = (work, *args, *named.items())
        if key in code.found:
            return code.found[key]  # type: ignore[no-any-return]
        answer = work(code, *args, **named)
        if not code.asked:
            code.found[key] = answer
        return answer

    return answered
