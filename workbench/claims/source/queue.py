"""What the lists of <sys/queue.h> make of their elements, as far as values are followed: which
links may lead to which element (queue(3)). What leads back leads to a link, and to no element.
Of LIST no row can say which head LIST_REMOVE sets: it is none of these."""

from workbench.claims.source.text import C, SourceText

_LISTS = {
    "SLIST": ("slh_first", "sle_next"),
    "STAILQ": ("stqh_first", "stqe_next"), "TAILQ": ("tqh_first", "tqe_next"),
    "SIMPLEQ": ("sqh_first", "sqe_next"),
}  # fmt: skip
_IN = "do {{ (e)->f.{next} = (h)->{first}; (h)->{first} = (e); {after} }} while (0)"
_OUT = "do {{ (h)->{first} = (h)->{first}->f.{next}; {after} }} while (0)"
_LAST = "(h)->{first}->f.{next} = (e);"
_MEANT = {
    "HEAD(n, t)": "struct n {{ struct t *{first}; }}",
    "ENTRY(t)": "struct {{ struct t *{next}; }}",
    "INIT(h)": "(h)->{first} = NULL",
    "EMPTY(h)": "((h)->{first} == NULL)",
    "FIRST(h)": "((h)->{first})",
    "NEXT(e, f)": "((e)->f.{next})",
    "FOREACH(v, h, f)": "for ((v) = (h)->{first}; (v); (v) = (v)->f.{next})",
    "FOREACH_SAFE(v, h, f, t)":
        "for ((v) = (h)->{first}; (v) && ((t) = (v)->f.{next}, 1); (v) = (t))",
    "INSERT_HEAD(h, e, f)": _IN.replace("{after}", ""),
    "INSERT_TAIL(h, e, f)": _IN.replace("{after}", _LAST),
    "INSERT_AFTER(h, o, e, f)":
        "do {{ (e)->f.{next} = (o)->f.{next}; (o)->f.{next} = (e); }} while (0)",
    "REMOVE_HEAD(h, f)": _OUT.replace("{after}", ""),
    "REMOVE(h, e, f)": _OUT.replace("{after}", "(h)->{first}->f.{next} = (e)->f.{next};"),
}  # fmt: skip
_OF_LIST = {
    "SLIST_INSERT_AFTER(o, e, f)":
        "do { (e)->f.sle_next = (o)->f.sle_next; (o)->f.sle_next = (e); } while (0)",
    "SLIST_REMOVE(h, e, t, f)":
        "do { (h)->slh_first = (e)->f.sle_next; (h)->slh_first->f.sle_next = (e)->f.sle_next; }"
        " while (0)",
    "STAILQ_REMOVE(h, e, t, f)":
        "do { (h)->stqh_first = (e)->f.stqe_next;"
        " (h)->stqh_first->f.stqe_next = (e)->f.stqe_next; } while (0)",
}  # fmt: skip
"""Of these lists some are told less, or the type."""


def queue_header() -> SourceText:
    """The macros as a listing of their header."""
    made = {
        f"{name}_{head}": body.format(first=first, next=following)
        for name, (first, following) in _LISTS.items()
        for head, body in _MEANT.items()
    }
    by_name = {head.partition("(")[0]: (head, body) for head, body in (made | _OF_LIST).items()}
    lines = (f"#define {head} {body}" for head, body in by_name.values())
    return SourceText(C, "queue.h", tuple((at, at, line) for at, line in enumerate(lines, 1)))
