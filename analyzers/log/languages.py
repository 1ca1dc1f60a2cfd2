"""What runtimes of further languages print when a program ends: one row a sentence, as in
`told_table`.

Delphi's System.SysUtils (SModuleAccessViolation); Free Pascal's rtl (RuntimeErrorExitCodes, of
which 216 is an access violation); druntime's core/exception.d; Nim's lib/system/excpt.nim, whose
word of null is a question; GNAT's ada/types.ads (RT_Exception_Code); GHC.Err and Control.Exception;
Kotlin/Native's runtime/src/main/cpp/Exceptions.cpp;
Intel's list of its Fortran runtime's messages.
"""

from collections.abc import Mapping

from analyzers.blocks import first_of
from analyzers.log.firmware import faulted
from analyzers.log.format import Decide, Row
from workbench.model.category import Category as C
from workbench.model.ended import ADA_OWN, ADA_STACK

_PASCAL = (
    (r"EDivByZero|EZeroDivide|error 200 ", C.DIVIDE_BY_ZERO),
    (r"EIntOverflow|error 215 ", C.INTEGER_OVERFLOW),
    (r"EStackOverflow|error 202 ", C.STACK_OVERFLOW),
    (r"EOutOfMemory|error 203 ", C.OUT_OF_MEMORY), (r"ERangeError|error 201 ", C.PANIC),
    (r"EInvalidCast|error 219 ", C.TYPE_CONFUSION),
    (r"EAssertionFailed|error 227 ", C.ASSERTION_FAILURE),
    (r"^E(?!AccessViol|External|InvalidPointer|BusError|SegFault)|error 217 ",
     C.UNCAUGHT_EXCEPTION),
)  # fmt: skip
_RAISED = (
    (r"^SIG|erroneous memory access", C.UNKNOWN),
    (r"RangeError|Array(?:Index|Slice)Error|(?:Index|Range|Field|Nil)\w*(?:Defect|Error)\]",
     C.PANIC),
    (r"OutOfMem\w*(?:Error|Defect)|heap exhausted", C.OUT_OF_MEMORY),
    (r"Assert\w*(?:Error|Defect)|ASSERTION_ERROR", C.ASSERTION_FAILURE),
    (r"DivByZero|divide by zero", C.DIVIDE_BY_ZERO),
    (r"Overflow(?:Defect|Error)\]|overflow check failed", C.INTEGER_OVERFLOW),
    ("access check failed", C.NULL_POINTER_DEREFERENCE), ("check failed", C.PANIC),
    ("", C.UNCAUGHT_EXCEPTION),
)  # fmt: skip
_THROWN = ((r"OutOfMemoryError", C.OUT_OF_MEMORY), ("", C.UNCAUGHT_EXCEPTION))
_FORRTL = (
    (r"\((?:71|73)\)", C.DIVIDE_BY_ZERO), (r"\((?:70|179)\)", C.INTEGER_OVERFLOW),
    (r"\(170\)", C.STACK_OVERFLOW), (r"\(408\)", C.PANIC), (r"\(41\)", C.OUT_OF_MEMORY),
    (r"\((?:65|72|74|75|76|144|157|17\d)\)|\(SIG[A-Z]+\)$", C.UNKNOWN), ("", C.EXPLICIT_ABORT),
)  # fmt: skip


def _by(table: tuple[tuple[str, C], ...]) -> Decide:
    """The category of the first row that the message holds; unknown: the signal tells."""

    def told(groups: Mapping[str, str], message: str) -> C | None:
        found = first_of(table, message)
        return None if found is C.UNKNOWN else found

    return told


ROWS = (
    Row("pascal", "Delphi", "access violation", r"\b(?P<message>Access violation at address "
        r"(?P<pc>[0-9A-F]{8,16}) in module '.{1,300}?'.{0,40}?[.,] (?P<access>Read|Write|"
        r"Execution) of address (?P<address>[0-9A-F]{8,16}))", faulted, (), 2),
    Row("pascal", "Delphi", "access violation", r"(?P<message>access violation at "
        r"0x(?P<pc>[0-9a-f]{8,16}): (?P<access>read|write|execution) of address "
        r"0x(?P<address>[0-9a-f]{8,16}))", faulted, (), 2, ends=None),  # a debugger's notification
    Row("pascal", "Free Pascal", "runtime error",
        r"^(?P<message>Runtime error \d+ at \$(?P<pc>[0-9A-F]{8,16}))", _by(_PASCAL)),
    Row("pascal", "Free Pascal", "exception", r"^An unhandled exception occurred at \$"
        r"(?P<pc>[0-9A-F]{8,16})", _by(_PASCAL), (r"+^(?P<message>E\w+: .*)$",)),
    Row("pascal", "Free Pascal", "exception", r"^(?:Unhandled exception: (?=E[A-Z])|Exception:? "
        r"[Cc]lass *: (?=EAcc)|(?=EAccessViolation: ))(?P<message>E\w+.*)$", _by(_PASCAL)),
    Row("kotlin", "Kotlin/Native", "exception", r"^Uncaught Kotlin exception: (?P<message>.*)$",
        _by(_THROWN)),
    Row("dlang", "D", "exception", r"^(?P<message>[\w.]+@(?P<file>[^\s()]+)\((?P<line>\d+)\).*)$",
        _by(_RAISED)),
    Row("nim", "Nim", "error", r"^(?:Error: )?(?P<message>(?:(?P<signal>SIG[A-Z]+)|unhandled "
        r"exception): .*)$", _by(_RAISED)),
    # A program's own exception is told by its place or by the addresses of its stack.
    *(Row("ada", "Ada", "exception", rf"^(?P<message>raised {words}.*)$", _by(_RAISED), more)
      for words, more in (
          (r"[A-Z0-9_.]+ : (?P<file>\S+\.ad[abs]):(?P<line>\d+)\b", ()), (f"{ADA_OWN} : ", ()),
          (r"[A-Z0-9_.]+ : ", (f"!{ADA_STACK}",)))),
    # Where GHC's own libraries were called from stands further on.
    *(Row("ghc", "Haskell", "error", words, C.UNCAUGHT_EXCEPTION, (*more,
          r"^\s+\S+, called at (?!libraries/)(?P<file>\S+?):(?P<line>\d+):\d+ in "))
      for words, more in (
          (r"^[\w.+-]+: (?P<message>Prelude\.\w+.*)$", (r"+^CallStack \(from HasCallStack\):$",)),
          # Loggers print the stack of a call as well, which their own function heads.
          (r"^CallStack \(from HasCallStack\):$",
           (r"!^ +(?P<message>(?:error|undefined|assert), called at .*)$",)))),
    *(Row("ghc", "Haskell", "nontermination", rf"^[\w.+-]+: (?P<message>{words}.*)$", category,
          ends=None)
      for words, category in (("thread blocked indefinitely in an ", C.MISSED_WAKEUP),
                              ("<<loop>>", C.INFINITE_LOOP))),
    Row("ghc", "Haskell", "error", r"^[\w.+-]+: (?P<message>(?P<file>[^\s:]+\.hs):\(?"
        r"(?P<line>\d+)\S*: Non-exhaustive .*)$", C.UNCAUGHT_EXCEPTION),
    Row("fortran", "Fortran", "runtime error", r"^forrtl: (?P<message>\w+ \(\d+\): "
        r"(?:(?P<signal>SIG[A-Z]+)\b.*|.*\((?P<signal_>SIG[A-Z]+)\)|.*))$", _by(_FORRTL)),
)  # fmt: skip
FRAMES = {
    "pascal": (r"^ {1,4}\$(?P<address>[0-9A-F]{8,16})(?: +(?P<function>\w+),)?(?: +line "
               r"(?P<line>\d+)(?:, column \d+)? of (?P<file>\S+))?(?: in (?P<module>/.{1,300}))?$",
               r"^\[(?P<address>[0-9A-F]{8,16})\]\{(?P<module>[^}\n]{1,100}?) *\} "
               r"(?P<function>\S+)(?: \(Line (?P<line>\d+), \"(?P<file>[^\"]+)\".{0,40}\))?"),
    "kotlin": (r"^\s*at (?P<index>\d{1,4}) +(?P<module>\S.{0,80}?) +(?P<address>0x[0-9a-f]{6,16}) +"
               r"(?:kfun:#?(?P<function>[^\s(]{1,600})|(?P<function_>\S.{0,600}?))(?:\(.*?|(?<=\S))?"
               r"(?: \+ \d{1,9})?(?: \((?P<file>\S{1,300}?):(?P<line>\d{1,7}):\d{1,7}\))? *$",),
    "dlang": (r"^(?:\?\?|(?P<file>[^\s:]{1,300})):(?:\?|(?P<line>\d+)) (?:.{1,300}? )??"
              r"(?P<function>[\w.$!]{1,600}\(.{0,2000}|[\w.$]+) \[(?P<address>0x[0-9a-f]+)\]$",),
    "nim": (r"^(?P<file>[^\s()]{1,300}\.nim)\((?P<line>\d+)\) {1,40}(?P<function>\S+)$",),
}  # fmt: skip
