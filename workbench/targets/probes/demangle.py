"""Names of types as ``std::type_info`` keeps them, and of linker symbols, made readable.

The Itanium C++ ABI's mangling (5.1): built-in types, pointers, qualifiers, nested names, operators,
constructors, templates with type and integer arguments, substitutions; Rust's legacy form of it.
What it does not know makes the whole name stay as it is.
"""

import re

from workbench.model.aliases import undollared

_BUILTIN = {
    "v": "void", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long",
    "x": "long long", "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128",
    "f": "float", "d": "double", "e": "long double", "g": "__float128", "w": "wchar_t",
    "z": "...",
}  # fmt: skip
_EXTENDED = {"Dn": "std::nullptr_t", "Di": "char32_t", "Ds": "char16_t", "Du": "char8_t"}
_ABBREVIATED = {
    "St": "std", "Sa": "std::allocator", "Sb": "std::basic_string", "Ss": "std::string",
    "Si": "std::istream", "So": "std::ostream", "Sd": "std::iostream",
}  # fmt: skip
_LITERALS = {"b": "", "i": "", "j": "u", "l": "l", "m": "ul", "c": "", "s": "", "t": "", "x": "ll"}
_OPERATORS = {
    "nw": " new", "na": " new[]", "dl": " delete", "da": " delete[]", "co": "~", "pl": "+",
    "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=",
    "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=",
    "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<",
    "gt": ">", "le": "<=", "ge": ">=", "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||",
    "pp": "++", "mm": "--", "cm": ",", "pm": "->*",
    "pt": "->", "cl": "()", "ix": "[]", "ng": "-", "ad": "&", "de": "*",
}  # fmt: skip
_STRING = re.compile(
    r"std::(?:__cxx11|__1)::basic_string<char, std::(?:__1::)?char_traits<char>, "
    r"std::(?:__1::)?allocator<char>>"
)
_MAX_DEPTH = 40
_MAX_NAME = 4096


class _UnknownError(Exception):
    """The name holds something that is not handled here."""


def readable(mangled: str) -> str:
    """``foo::bar`` for ``N3foo3barE``; the name itself when it cannot be read."""
    name = mangled.removeprefix("*")
    if not name or len(name) > _MAX_NAME:
        return mangled
    parser = _Parser(name)
    try:
        found = parser.type(0)
    except _UnknownError:
        return mangled
    return found if parser.at == len(name) and len(found) <= 4 * _MAX_NAME else mangled


def function(symbol: str) -> str:
    """``db::Table<db::Row>::find`` for ``_ZN2db5TableINS_3RowEE4findEi``, as gdb names frames: with
    no parameters; Rust's without its hash. The symbol itself when it cannot be read."""
    if not symbol.startswith("_Z") or len(symbol) > _MAX_NAME:
        return symbol
    parser = _Parser(symbol[2:])
    try:
        found = parser.function()
    except _UnknownError:
        return symbol
    inner, hashed, end = found.rpartition("::h")
    if hashed and parser.at == len(parser.text) and re.fullmatch(r"[0-9a-f]{16}", end):
        found = undollared(inner)
    return _STRING.sub("std::string", found) if len(found) <= 4 * _MAX_NAME else symbol


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.known: list[str] = []

    def _peek(self, size: int = 1) -> str:
        return self.text[self.at : self.at + size]

    def _take(self, expected: str) -> bool:
        if self._peek(len(expected)) == expected:
            self.at += len(expected)
            return True
        return False

    def _remember(self, name: str) -> str:
        if len(name) > 4 * _MAX_NAME:
            raise _UnknownError
        self.known.append(name)
        return name

    def function(self) -> str:
        """The name of a function or a variable; its parameters stay unread."""
        self._take("L")
        if self._peek() in ("T", "G"):  # a table, a thunk, a guard
            raise _UnknownError
        return self._class(0)

    def type(self, depth: int) -> str:
        """One type."""
        if depth > _MAX_DEPTH:
            raise _UnknownError
        letter = self._peek()
        if letter in ("P", "R", "O", "K", "V"):
            self.at += 1
            inner = self.type(depth + 1)
            ending = {"P": "*", "R": "&", "O": "&&", "K": " const", "V": " volatile"}[letter]
            return self._remember(inner + ending)
        if self._peek(2) in _EXTENDED:
            self.at += 2
            return _EXTENDED[self.text[self.at - 2 : self.at]]
        if letter in _BUILTIN:
            self.at += 1
            return _BUILTIN[letter]
        return self._class(depth)

    def _class(self, depth: int) -> str:
        if self._take("N"):
            return self._nested(depth)
        if self._peek() == "S" and self._peek(2) != "St":
            name = self._substitution()
        elif self._take("St"):
            name = self._remember("std::" + self._part(""))
        else:
            name = self._remember(self._part(""))
        if self._peek() == "I":
            name = self._remember(name + self._arguments(depth))
        return name

    def _nested(self, depth: int) -> str:
        name = last = ""
        fresh = True
        while self._peek() and self._peek() in "rVKRO":
            self.at += 1
        while not self._take("E"):
            if self._peek() == "I":
                name += self._arguments(depth)
            elif self._take("St"):
                name, fresh = "std", False
            elif self._peek() == "S":
                name, fresh = self._substitution(), False
                continue
            else:
                self._take("L")
                last = part = self._part(last)
                name = f"{name}::{part}" if name else part
                fresh = True
            if fresh and self._peek() != "E":
                self._remember(name)
        return self._remember(name)

    def _part(self, owner: str) -> str:
        """A source name, an operator, or the constructor or destructor of the class ``owner``."""
        short = self._peek(2)
        if short[:1].isdigit():
            return self._source_name()
        if short in _OPERATORS:
            self.at += 2
            return f"operator{_OPERATORS[short]}"
        if owner and re.fullmatch(r"[CD]\d", short):
            self.at += 2
            return f"~{owner}" if short[0] == "D" else owner
        raise _UnknownError

    def _source_name(self) -> str:
        digits = 0
        while self._peek().isdigit() and digits < 5:
            self.at += 1
            digits += 1
        length = int(self.text[self.at - digits : self.at] or 0)
        name = self._peek(length)
        if not length or len(name) < length:
            raise _UnknownError
        self.at += length
        if self._peek() == "B":  # an ABI tag
            self.at += 1
            self._source_name()
        return "(anonymous namespace)" if name.startswith("_GLOBAL__N") else name

    def _substitution(self) -> str:
        short = self._peek(2)
        if short in _ABBREVIATED:
            self.at += 2
            return _ABBREVIATED[short]
        self.at += 1
        end = self.text.find("_", self.at, self.at + 6)
        if end < 0:
            raise _UnknownError
        code = self.text[self.at : end]
        self.at = end + 1
        try:
            index = int(code, 36) + 1 if code else 0
        except ValueError:
            raise _UnknownError from None
        if index >= len(self.known):
            raise _UnknownError
        return self.known[index]

    def _arguments(self, depth: int) -> str:
        if not self._take("I"):
            raise _UnknownError
        parts: list[str] = []
        while not self._take("E"):
            if self.at >= len(self.text):
                raise _UnknownError
            parts.append(self._literal(depth) if self._take("L") else self.type(depth + 1))
        return f"<{', '.join(parts)}>"

    def _literal(self, depth: int) -> str:
        """A number; of an enumeration with its type in front."""
        kind, of = self._peek(), ""
        if kind in _LITERALS:
            self.at += 1
        elif kind in "NS0123456789":
            of = f"({self.type(depth + 1)})"
        found = re.compile(r"n?[0-9]{1,20}E").match(self.text, self.at)
        if found is None:
            raise _UnknownError
        self.at = found.end()
        value = found[0][:-1]
        if kind == "b":
            return "false" if value == "0" else "true"
        return of + value.replace("n", "-", 1) + _LITERALS.get(kind, "")
