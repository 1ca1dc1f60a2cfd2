"""What systems without processes print of a fault: one row a sentence, as in `told_table`.

ESP-IDF's esp_system/panic.c and FreeRTOS' hook in it; Zephyr's arch/arm/core/cortex_m/fault.c,
kernel/fatal.c and sys/__assert.h; Mbed OS' mbed_fault_handler.c; OP-TEE's core/kernel/abort.c;
U-Boot's arch/arm/lib/interrupts_64.c; Zircon, which began as LK.
"""

from collections.abc import Mapping

from analyzers.blocks import first_of
from analyzers.log.format import Row
from analyzers.log.kinds import NO_CODE, Kind, of_access
from analyzers.log.text import address_of
from workbench.model.category import Category as C

_FAULTS = (
    (r"[Dd]ivi(?:de|sion)\s?[Bb]y\s?[Zz]ero", C.DIVIDE_BY_ZERO),
    ("[Aa]lign", C.MISALIGNED_ACCESS),
    (r"(?i)illegal\s?instruction|undefined instruction", C.ILLEGAL_INSTRUCTION),
    ("Stack (?:canary|overflow|protection)", C.STACK_OVERFLOW),
)
_USAGE = ((0x200, C.DIVIDE_BY_ZERO), (0x100, C.MISALIGNED_ACCESS), (1, C.ILLEGAL_INSTRUCTION))


_EXCVADDR = r".*\bexcvaddr=(?P<address>0x[0-9a-f]{8})"
_CFSR = r"\bCF(?:SR|AULTS): (?P<usage>[0-9a-f]{4})[0-9a-f]{4}\b"
_BFAR = (
    r"\bCF(?:SR|AULTS): [0-9a-f]{4}[89a-f][0-9a-f]{3} .*\bBF(?:AR|AULTADDR): "
    r"(?P<address>[0-9a-f]{8})\b"
)
_HANDLERS = r"(?:hard|mem|bus|usage|secure)_?fault|_exception|_fatal|_irq"
"""NuttX's handlers of faults, which end in its assert."""


def faulted(groups: Mapping[str, str], message: str) -> C | Kind | None:
    """An exception by the processor's name of it (Xtensa, RISC-V), by the bits of ARMv7-M's usage
    fault (B3.2.15: DIVBYZERO, UNALIGNED, UNDEFINSTR), else by where the access or the jump went."""
    why, usage = groups.get("why", message), int(groups.get("usage", "0"), 16)
    if "ermission" in why:
        return None  # memory is there: whether it was written or run, the report does not say
    if why == "Stacking error":  # no room was left for what the processor saves, or the stack moved
        return Kind(C.STACK_OVERFLOW, sure=False)
    bits = next((category for bit, category in _USAGE if usage & bit), None)
    address, pc = address_of(groups.get("address")), address_of(groups.get("pc"))
    known = address is not None or (pc is not None and pc < NO_CODE)
    went = of_access("SIGSEGV", address, None, pc) if known else None
    return first_of(_FAULTS, why) or bits or went


def _checked(groups: Mapping[str, str], _: str) -> C | Kind:
    """Zephyr's K_ERR_STACK_CHK_FAIL: where no access failed before, a canary that was written over
    (__stack_chk_fail) ends in it as well."""
    return Kind(C.STACK_OVERFLOW, sure="why" in groups)


ROWS = (
    # Of any other exception the register of the address says nothing.
    *(Row("embedded", "ESP-IDF", "panic",
          rf"Guru Meditation Error: Core +\d panic'ed \((?P<message>{words}.*?)\)", faulted,
          (*more, r"\bMEPC +: (?P<pc>0x[0-9a-f]{8})|^PC +: (?P<pc_>0x[0-9a-f]{8})"), 2)
      for words, more in (
          (r"(?:Load|Store|Instr)\w*(?:Prohibited| access fault)",
           (r"\b(?:EXCVADDR|MTVAL) *: (?P<address>0x[0-9a-f]{8})",)),
          ("", (r"^Debug exception reason: (?P<why>Stack canary .*)$",)))),
    Row("embedded", "ESP-IDF", "watchdog",
        r"Guru Meditation Error: Core +\d panic'ed \((?P<message>Interrupt wdt timeout on .*?)\)",
        Kind(C.INFINITE_LOOP, sure=False),
        (r"\bMEPC +: (?P<pc>0x[0-9a-f]{8})|^PC +: (?P<pc_>0x[0-9a-f]{8})",)),
    Row("embedded", "ESP-IDF", "watchdog",
        r"\btask_wdt: (?P<message>Task watchdog got triggered.*)$",
        Kind(C.INFINITE_LOOP, sure=False), ends=None),  # CONFIG_ESP_TASK_WDT_PANIC
    Row("embedded", "ESP-IDF", "assert failed", r"^(?P<message>assert failed: (?P<function>\w+) "
        r"(?P<file>\S+):(?P<line>\d+) \(.*)$", C.ASSERTION_FAILURE),
    Row("embedded", "ESP-IDF", "abort",
        r"^(?P<message>abort\(\) was called at PC (?P<pc>0x\w+) .*)$", C.EXPLICIT_ABORT),
    # Xtensa's EXCCAUSE by its number (Instruction Set Architecture, 4.4.1.5): ESP8266's core has
    # one of the watchdog's for an interrupt, and excvaddr of an access alone.
    *(Row("embedded", "ESP8266", "exception",
          rf"^(?P<message>(?:Fatal e|E)xception ?\({cause}\)):",
          category, (rf"^epc1=(?P<pc>0x[0-9a-f]{{8}}),? {more}",))
      for cause, category, more in (
          ("0", C.ILLEGAL_INSTRUCTION, ""), ("6", C.DIVIDE_BY_ZERO, ""),
          ("9", C.MISALIGNED_ACCESS, _EXCVADDR),
          ("4", Kind(C.INFINITE_LOOP, sure=False), ""),
          (r"(?:2|3|20|28|29)", faulted, _EXCVADDR), (r"\d+", None, ""))),
    # NuttX, arch/arm/src/*/arm_hardfault.c and sched/misc/assert.c; BFAR is valid by its bit alone.
    Row("embedded", "NuttX", "fault",
        r"\b(?P<message>PANIC!!! (?:Hard [Ff]ault|Exception = |NMI ).*)$",
        faulted, (rf"<{_CFSR}", _CFSR, rf"<{_BFAR}", _BFAR, r"\bPC: (?P<pc>[0-9a-f]{8})\b"), 2),
    *(Row("embedded", "NuttX", "assertion",
          rf"\b(?P<message>Assertion failed ?:? at file: ?(?P<file>(?!\S*(?:{_HANDLERS})\.c)"
          rf"[^\s:]+{line}(?P<line>\d+) task.*)$", C.ASSERTION_FAILURE)
      for line in (r"):", r") line: ")),
    Row("embedded", "PX4", "fault", r"\bType:(?P<message>Hard Fault in file:\S+ at line: \d+ .*)$",
        faulted, (r"\bpc:(?P<pc>0x[0-9a-f]{8})\b",), 2),
    # VirtualBox, VBox/Runtime/common/misc/assert.cpp and VMM/VMMR3/VMMGuruMeditation.cpp
    Row("embedded", "VirtualBox", "assertion", r"!!(?:R0-)?Assertion Failed!!$",
        C.ASSERTION_FAILURE,
        (r"!\bExpression: (?P<message>.+)$",
         r"\bLocation +: (?P<file>[^\s()]+)\((?P<line>\d+)\) "
         r"(?:[^()]*[ *])?(?P<function>[\w:~]+)(?:\(|$)")),
    Row("embedded", "VirtualBox", "guru meditation",
        r"\b(?P<message>Guru Meditation -?\d+ \(V[A-Z_]+\))"),
    Row("embedded", "FreeRTOS", "stack overflow",
        r"^\*{3}ERROR\*{3} (?P<message>A stack overflow in task .*)$", C.STACK_OVERFLOW),
    Row("embedded", "Zephyr", "fault",
        r"\*{5} (?P<message>(?:MPU|BUS|USAGE|SECURE) FAULT|(?:DATA|PREFETCH) ABORT) \*{5}$",
        faulted,
        (r"\b(?P<why>Stacking error|Division by zero|Unaligned memory|Stack overflow|"
         r"Attempt to execute undefined instruction|(?:Permission|Alignment) [Ff]ault)",
         r"\b(?:(?:BFAR |MMFAR )?Address:|[Ff]ault @) (?P<address>0x[0-9a-f]+)",
         r"\bFaulting instruction address(?: \(r15/pc\))?: +(?P<pc>0x[0-9a-f]+)"), 2),
    *(Row("embedded", "Zephyr", "fatal error",
          rf">>> (?P<message>ZEPHYR FATAL ERROR {number}: .*)$", category)
      for number, category in ((3, C.EXPLICIT_ABORT), (4, C.PANIC))),
    Row("embedded", "Zephyr", "fatal error", r">>> (?P<message>ZEPHYR FATAL ERROR 2: .*)$",
        _checked, (r"<\*{5} (?P<why>\w+ FAULT) \*{5}",)),
    Row("embedded", "Zephyr", "assertion", r"\b(?P<message>ASSERTION FAIL \[.*\]) @ "
        r"(?:WEST_TOPDIR/)?(?P<file>\S+):(?P<line>\d+)", C.ASSERTION_FAILURE),
    # Without BFARVALID the address is an older fault's.
    *(Row("embedded", "Mbed OS", "fault", words, faulted, (*more, r"<^PC +: (?P<pc>[0-9A-F]{8})"),
          2)
      for words, more in (
          (r"^(?P<message>FaultType: .*)$", ()),
          (r"^(?P<message>BFSR *: 0{6}[89A-F]\w)$", (r"^BFAR *: (?P<address>[0-9A-F]{8})",)),
          (r"^(?P<message>UFSR *: (?P<usage>0000(?!0000)\w{4}))$", ()))),
    Row("embedded", "LK", "fault", r"\b(?P<message>(?:data|prefetch) fault: .*)$", faulted,
        (r"\bpc +(?P<pc>0x[0-9a-f]{8,16})",), 2),
    # Zircon, kernel/arch/x86/faults.cc and lib/debug.
    Row("embedded", "Zircon", "page fault",
        r"^(?P<message><PAGE FAULT> Instruction Pointer *= 0x[0-9a-f]+:(?P<pc>0x[0-9a-f]+))$",
        faulted,
        (r"^<PAGE FAULT> Fault Linear Address *= (?P<address>0x[0-9a-f]+)",
         r"^<PAGE FAULT> Error Code Type *= \w+ (?P<access>read|write|instr)")),
    *(Row("embedded", "Zircon", "panic",
          rf"^panic \(caller 0x[0-9a-f]+ frame 0x[0-9a-f]+\): (?P<message>{words}.*)$", category)
      for words, category in (("(?:DEBUG )?ASSERT FAILED at ", C.ASSERTION_FAILURE),
                              ("", C.PANIC))),
    Row("embedded", "OP-TEE", "abort", r"\b(?P<message>(?:User(?: mode| TA)|Core) (?:data|"
        r"prefetch)-abort at address (?P<address>0x[0-9a-f]+).*)$", faulted,
        (r"\b(?:elr|epc) (?P<pc>[0-9a-fA-F]{8,16})",), 2),
    Row("embedded", "OP-TEE", "abort", r"\b(?P<message>(?:User(?: mode| TA)|Core) undef-abort at "
        r"address 0x[0-9a-f]+.*)$", C.ILLEGAL_INSTRUCTION,
        (r"\b(?:elr|epc) (?P<pc>[0-9a-fA-F]{8,16})",), 2),
    Row("embedded", "U-Boot", "abort", r"^(?P<message>\"Synchronous Abort\" handler, esr "
        r"0x[0-9a-f]+(?:, far (?P<address>0x[0-9a-f]+))?)", faulted,
        (r"^elr: (?P<pc>[0-9a-f]{16})",), 2),
)  # fmt: skip
FRAMES = {
    # idf.py monitor and addr2line -pfia
    "embedded": (r"^ ?(?:(?P<address>0x[0-9a-f]{8}): |\(inlined by\) )(?P<function>\S.{0,300}?) at "
                 r"(?P<file>[^\s:()][^:()]{0,300}):(?P<line>\d{1,7})$",
                 # Zircon, symbolized
                 r"^(?:bt#\d+: (?:0x[0-9a-f]+|\[ inline \])| RIP: 0x[0-9a-f]+ ) "
                 r"(?P<function>[A-Za-z_~].{0,300}?) (?P<file>\S{1,300}):(?P<line>\d{1,7})$"),
}  # fmt: skip
