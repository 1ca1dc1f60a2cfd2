"""Which expressions of a listing may point to, or into, an object: by the types that it declares,
and where these tell nothing by what is assigned, passed and returned.

What is joined once stays joined, whichever way it went and however often it is reached through
(Steensgaard, "Points-to Analysis in Almost Linear Time", 1996): too much may be said to point
there, never too little of what is listed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from workbench.claims.source import names
from workbench.claims.source.owners import Owners
from workbench.claims.source.shapes import member, plain_callee
from workbench.claims.source.text import CPP, FILE_SCOPE, C, Row, last_name, words

Key = tuple[str, ...]
_HOT: Key = ("an object",)
_PATH = re.compile(r"[A-Za-z_]\w*(?:(?:->|\.|::)[A-Za-z_~]\w*|\[\])*")
_INNERMOST = re.compile(r"\[[^\[\]]+\]")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|\bsizeof(?:\([^()]*\)|[*\w>.\-]+)')
_NO_OBJECT = words(
    "NULL nullptr true false stdin stdout stderr errno const volatile struct class union enum void "
    "char bool short int long float double unsigned signed auto static_cast reinterpret_cast "
    "const_cast std SIZE_MAX INT_MAX EOF nothrow"
)
_BOTH = re.compile(r"(?:[\w\]&]|(?<!\*)\))&$")
"""An ``&`` between two operands; behind a cast to a pointer it takes an address."""
_AS_NUMBER = re.compile(r"\((?:u?int(?:ptr|64)_t|size_t|unsigned long(?: long)?|long(?: long)?)\)")
"""Casts by which an integer is made of a pointer, or a pointer of one."""
_SEPARATOR = re.compile(r"->|\.")
_LIBRARY = re.compile(
    r"(?:struct )?(?:std::|pthread_|FILE\b|DIR\b|va_list\b|sem_t\b|jmp_buf\b|timespec\b)"
)
_MOST_GIVEN = 3
"""Parameters that what is called back has."""
_COPIES = words("memcpy memmove __builtin_memcpy __builtin_memmove bcopy")
READS = words(
    "strlen strnlen wcslen strcmp strncmp strcasecmp strncasecmp memcmp strchr strrchr strstr "
    "memchr strspn strcspn strpbrk printf fprintf dprintf vprintf vfprintf puts fputs putchar "
    "putc fputc fwrite perror strerror atoi atol atoll atof "
    "abort exit _exit assert static_assert rand srand random srandom clock getenv getpid "
    "getppid gettid sleep usleep sched_yield open close write pwrite send sendto "
    "unlink fopen fclose fflush feof ferror fgetc getc getchar signal raise kill isatty "
    "isalpha isdigit isspace isalnum isupper islower isprint isxdigit ispunct toupper tolower abs "
    "pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock "
    "pthread_mutex_destroy pthread_cond_init pthread_cond_wait pthread_cond_timedwait "
    "pthread_cond_signal pthread_cond_broadcast pthread_cond_destroy pthread_rwlock_rdlock "
    "pthread_rwlock_wrlock pthread_rwlock_unlock pthread_barrier_init pthread_barrier_wait "
    "pthread_barrier_destroy pthread_detach pthread_self pthread_equal "
    "sem_init sem_wait sem_trywait sem_post sem_destroy mtx_lock mtx_unlock "
    "std::lock_guard std::unique_lock std::scoped_lock "
    "std::string std::string_view"
)
OF_NUMBERS = words("abort exit _exit abs srand srandom sleep usleep close raise kill isatty")
"""Of these none takes a pointer: who is given one is another function of that name."""
NUMBER_FIRST = words("write pwrite send sendto dprintf putc fputc")
"""Nor do these as their first argument."""
SETS = {
    "strtol": 2, "strtoul": 2, "strtoll": 2, "strtoull": 2, "strtod": 2, "strtof": 2, "time": 1,
    "nanosleep": 2, "pthread_join": 2, "thrd_join": 2,
    "localtime_r": 2, "gmtime_r": 2, "clock_gettime": 2, "gettimeofday": 1, "stat": 2, "fstat": 2,
    "pipe": 1, "waitpid": 2, "wait": 1, "frexp": 2, "modf": 2,
}  # fmt: skip
"""Library functions that write through one of their arguments, counted from one (C23, POSIX)."""
STARTS = {"pthread_create": 3, "thrd_create": 2, "thread": 1, "jthread": 1}
"""Which argument of what starts a thread is the function that it runs."""
PRINTS = words("printf fprintf dprintf vprintf vfprintf")
"""Those that write where their format says %n (C23 7.23.6.1)."""
_METHODS = words(
    "size length empty begin end cbegin cend front back data c_str find count at contains get "
    "lock unlock try_lock load join"
)
"""Library functions, and methods of C++'s containers, that write through none of their arguments
what a program keeps there, nor release it (C23 7.23 to 7.30, POSIX.1-2024, C++ [containers]); what
they call back is listed, or is found where it is named."""
READS_OF_RUST = words(
    "len is_empty iter chars bytes lines get first last contains contains_key as_ptr as_ref as_str "
    "as_slice as_bytes clone to_vec to_string to_owned split split_whitespace starts_with "
    "ends_with map filter fold copied cloned sum count min max any all find position enumerate zip "
    "rev skip take_while collect cmp eq hash fmt parse trim keys values windows chunks "
    "wrapping_add wrapping_sub wrapping_mul checked_add checked_sub checked_mul abs pow"
)
"""Methods of Rust's library that take ``&self``, or a copy (doc.rust-lang.org/std): they leave what
they are called on as it is."""
FREES = names.FREES[C] | names.FREES[CPP]
_ALLOCATES = names.ALLOCATES[C].keys() | names.ALLOCATES[CPP].keys()
_MAKES = {name for name in _ALLOCATES - FREES.keys() if "realloc" not in name}


class _Path(NamedTuple):
    """A variable, a member or the result of a call in an expression, without indices."""

    text: str
    address: bool = False
    call: bool = False


def _paths(expression: str, goes_in: Callable[[str], bool]) -> Iterator[_Path]:
    """The paths of an expression; of a call those of its arguments too where its result may come
    from them."""
    text = _TEXT.sub("", expression)
    while _INNERMOST.search(text):
        text = _INNERMOST.sub("[]", text)
    at = 0
    while (found := _PATH.search(text, at)) is not None:
        at = found.end()
        before = text[: found.start()].rstrip("(")
        if before.endswith(("->", ".")):  # of what stands in parentheses in front
            yield _Path("?")
        elif text[at : at + 1] == "(" and found[0] not in _NO_OBJECT:
            end = _closing(text, at)
            yield _Path(found[0], call=True)
            if goes_in(found[0]):
                yield from _paths(text[at + 1 : end], goes_in)
            at = end
        elif not text[found.start() - 1 : found.start()].isdigit():  # the end of a number
            address = before.endswith("&") and not _BOTH.search(before)
            yield _Path(found[0], address)


def _closing(text: str, at: int) -> int:
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "(") - (text[end] == ")")
        if not depth:
            return end
    return len(text)


def parts(text: str) -> list[str]:
    """What the commas of an initialiser part."""
    found, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return found


class Reach:
    """What may point to an object of one of these structs, or to what an expression of a function
    points to; ``constants`` are names of the listing that are no objects."""

    def __init__(
        self,
        stated: Sequence[Row],
        owners: Owners,
        structs: Iterable[str],
        seed: tuple[str, str] | None,
        constants: frozenset[str] = frozenset(),
    ) -> None:
        self.owners = owners
        self.listed = {last_name(str(row.values["function"])) for row in stated} - {""}
        self._none = _NO_OBJECT | constants | owners.structs
        self._parents: dict[Key, Key] = {}
        self._foreign = False  # what is not listed gave such an object, and may keep it
        declared = [row.values for row in stated if row.kind == "declares"]
        self.structs, held = set(structs), None
        while held != self.structs:
            held = set(self.structs)
            self.structs |= {
                str(one["of"])
                for one in declared
                if one["of"] and owners.bare(str(one["type"])) in held
                and not re.search(r"[*&]", str(one["type"]))
            }  # fmt: skip
        self._types: dict[Key, str] = {}
        self._parameters: dict[str, list[Key]] = {}
        for one in declared:
            function, name, type_ = str(one["function"]), str(one["name"]), str(one["type"])
            key: Key = ("member", str(one["of"]), name)
            if not one["of"]:
                key = (last_name(function) if function != FILE_SCOPE else "", name)
                if function not in ("", FILE_SCOPE):
                    self._parameters.setdefault(key[0], []).append(key)
            self._types[key] = type_ + ("[]" if one["size"] else "")
            if owners.bare(type_) in self.structs:
                self._join(key, _HOT)
        for key in self._types:
            if key[0] == "member":  # of whatever struct, where that is not known
                self._join(("member", "?", key[2]), key)
        if seed is not None:
            for key in self._keys(*seed):
                self._join(key, _HOT)
        for row in stated:
            self._flow(row)

    def _flow(self, row: Row) -> None:
        """Join what a row makes the same."""
        values, function = row.values, str(row.values["function"])
        if row.kind == "assigns":
            to, value = str(values["target"]), str(values["expression"])
            wide = bool(_AS_NUMBER.search(value))
            type_ = self._type(_Path(to), function)
            if "&" in type_:
                value = f"&{value}"
            elif value.startswith("{"):
                of = self.owners.bare(type_)
                members = [key for key in self._types if key[:2] == ("member", of)]
                for key, part in zip(members, parts(value[1:-1]), strict=False):
                    self._join(key, *self._keys(part, function))
            targets = [key for key in self._keys(to, function, wide) if key != _HOT]
            if self.owners.points_to(to, function) in self.structs and any(
                path.call and last_name(path.text) not in self.listed | _ALLOCATES
                and not is_harmless(path.text)
                for path in self._read(value)
            ):  # fmt: skip
                self._foreign = True
            self._join(*targets, *self._keys(value, function, wide))
        elif row.kind == "returns":
            self._join(("result", last_name(function)),
                       *self._keys(str(values["expression"]), function))  # fmt: skip
        elif row.kind == "calls" and "index" in values:
            callee = last_name(str(values["callee"]))
            given = self._parameters.get(callee, [])[int(values["index"]) - 1 :][:1]
            if callee in self.listed:
                bound = any("&" in self._types[key] for key in given)
                passed = ("&" if bound else "") + str(values["expression"])
                self._join(*given, *self._keys(passed, function))
        elif row.kind == "calls":
            passed = str(values["arguments"])
            if plain_callee(str(values["callee"])) in _COPIES:
                copied = [one for one in parts(passed)[:2] if not self._of_numbers(one, function)]
                keys = (key for one in copied for key in self._keys(one.lstrip("&"), function))
                self._join(*(key for key in keys if key != _HOT))
            begun = [one for one in re.findall(r"[A-Za-z_]\w*", passed) if one in self._parameters]
            if begun:  # called back with what is handed on beside it
                taken = (key for one in begun for key in self._parameters[one][:_MOST_GIVEN])
                self._join(*taken, *self._keys(passed, function))

    def _keys(self, expression: str, function: str, wide: bool = False) -> list[Key]:
        """What the paths of an expression are joined by; of an integer that is made of no pointer
        nothing is."""
        return [
            key
            for path in self._read(expression)
            for key in self._key(path, function)
            if wide or path.address or not self._is_number(self._types.get(key, ""))
        ]

    def _is_number(self, type_: str) -> bool:
        return not re.search(r"[*&\]]", type_) and any(
            names.bits_of(type_, language) for language in (C, CPP)
        )

    def _of_numbers(self, address: str, function: str) -> bool:
        """True for the address of numbers: no pointer is copied from there."""
        type_ = next((self._type(path, function) for path in self._read(address)), "")
        if not address.startswith("&"):
            type_ = re.sub(r"(?:\*|\[\])$", "", type_)
        return self._is_number(type_)

    def _read(self, expression: str) -> Iterator[_Path]:
        return _paths(expression, lambda callee: last_name(callee) not in self.listed
                      and not is_maker(callee))  # fmt: skip

    def _key(self, path: _Path, function: str) -> list[Key]:
        text = path.text.replace("[]", "")
        if path.call:
            return [("result", last_name(text))] if last_name(text) in self.listed else []
        found: list[Key] = [_HOT] if self.structs & self._into(path, function) else []
        if found and path.address:
            return found  # where it lies, and not what it holds
        field = member(text)
        if field:
            return [*found, ("member", self.owners.owner(path.text, function) or "?", field)]
        name = text.rpartition("::")[2]
        if self.owners.is_local(name, function):
            return [*found, (last_name(function), name)]
        if ("", name) in self._types:
            return [*found, ("", name)]
        return [*found, *(key for key in self._types if key[0] == "member" and key[2] == name)]

    def _into(self, path: _Path, function: str) -> set[str]:
        """The structs in whose object the place lies that a path is the address of."""
        type_ = self._type(path, function)
        if not (path.address or type_.endswith("[]")) or (path.text.endswith("]") and "*" in type_):
            return set()
        along, found = self.owners.along(path.text, function), set[str]()
        parts = _SEPARATOR.findall(path.text)
        for owner, separator in zip(along[-2::-1], parts[::-1], strict=False):
            found.add(owner)
            if separator == "->":
                break
        return found | set(along[-1:])

    def _type(self, path: _Path, function: str) -> str:
        text = path.text.replace("[]", "")
        field, name = member(text), text.rpartition("::")[2]
        key: Key = (last_name(function), name)
        if field:
            key = ("member", self.owners.owner(path.text, function) or "", field)
        elif key not in self._types:
            key = ("", name)
        return self._types.get(key, "")

    def carries(self, expression: str, function: str) -> bool:
        """True for an expression that may point to such an object or into one."""
        return any(self._is_hot(path, function) for path in self._read(expression))

    def _is_hot(self, path: _Path, function: str) -> bool:
        text = path.text.replace("[]", "")
        keys = self._key(path, function)
        if text.rpartition("::")[2] in self._none and not keys:
            return False
        if path.call:
            callee = last_name(text)
            if callee not in self.listed:
                return not is_harmless(text) and not is_maker(text)
        elif not keys:
            return text == "?" or text not in self.listed
        return self._is_unlisted(self._type(path, function)) or any(
            self._root(key) == self._root(_HOT) for key in keys
        )

    def _is_unlisted(self, type_: str) -> bool:
        """True for a structure that no listing shows: it may lead anywhere."""
        name = self.owners.bare(type_)
        return not (
            not name or name in self.owners.structs or name in _NO_OBJECT or "(" in type_
            or self._is_number(name) or _LIBRARY.match(type_.removeprefix("const "))
        )  # fmt: skip

    def is_value(self, expression: str, function: str, value: str) -> bool:
        """True for a path that is declared to be such an object itself, or a reference, or where
        that is not listed and the value that it is given may be one."""
        type_ = next((self._type(p, function) for p in self._read(expression)), "")
        if not type_ and re.match(r"[*({]|\w+$", value) and not value.isdigit():
            given = next((self._type(p, function) for p in self._read(value)), "")
            return "*" not in given and not self._is_number(given) and value not in self._none
        return "&" in type_ or (
            "*" not in type_
            and (self.owners.bare(type_) in self.structs or self._is_unlisted(type_))
        )

    def holders(self, structs: set[str]) -> set[str]:
        """The structs with a member that may point there, or to one of these."""
        return {
            key[1]
            for key, type_ in self._types.items()
            if key[0] == "member"
            and (self._root(key) == self._root(_HOT) or self.owners.bare(type_) in structs)
        }

    def stores_pointer(self, target: str, function: str) -> bool:
        """True for a store through a path that is declared to lead to pointers to such objects: it
        changes none of their other members (C23 6.5.1: effective types)."""
        found = re.fullmatch(r"(\*?)([\w.>\-]+)((?:\[[^\[\]]*\])*)", target)
        if found is None:
            return False
        type_ = self._type(_Path(found[2]), function)
        passed = len(found[1]) + found[3].count("[")
        return self.owners.bare(type_) in self.structs and (
            type_.count("*") + type_.count("[") > passed and not type_.startswith("void")
        )

    def is_open(self, is_static: Callable[[str], bool]) -> bool:
        """True where a variable of the file that may point there can be named in another one."""
        return any(
            key[0] == "" and self._root(key) == self._root(_HOT) and not is_static(key[1])
            for key in self._types
        ) or bool(self._foreign)

    def _root(self, key: Key) -> Key:
        while (up := self._parents.get(key, key)) != key:
            key = up
        return key

    def _join(self, *keys: Key) -> None:
        roots = [self._root(key) for key in keys]
        for one in roots[1:]:
            if one != roots[0]:
                self._parents[self._root(one)] = self._root(roots[0])


def is_harmless(callee: str) -> bool:
    """True for a library function, or for a method of a container, that neither writes nor releases
    what a program keeps."""
    if member(callee):
        return member(callee) in _METHODS
    return callee in READS or (
        callee.startswith("std::")
        and bool({plain_callee(callee), f"std::{plain_callee(callee)}"} & READS)
    )


def is_maker(callee: str) -> bool:
    """True for what returns memory of its own."""
    return plain_callee(callee) in _MAKES
