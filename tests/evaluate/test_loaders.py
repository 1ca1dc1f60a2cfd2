"""What other projects state of their crashes is read fairly: other words for the same thing count,
other things do not."""

import json
import re
from pathlib import Path

import pytest

from tests.crashes import cache_dir
from workbench.evaluate import corpora, investigating, judging, making
from workbench.evaluate.changes import change
from workbench.evaluate.corpora.loaders import casr, parsers
from workbench.evaluate.corpora.loaders.bugs import origins_of
from workbench.evaluate.corpora.loaders.truths import expected_of, stated
from workbench.evaluate.errors import CannotMake
from workbench.evaluate.judging import Report, verdict
from workbench.evaluate.programs import CrashError
from workbench.evaluate.schema import Case, Expected, Make
from workbench.evaluate.statistics import numbers
from workbench.evaluate.templates import ships
from workbench.model.text import printable

STACK = [{"function": "prune_domain"}, {"function": "main"}]
CLAIMS = [
    {"kind": "block", "status": "verified", "args": [{"name": "size", "value": 16}]},
    {"kind": "block", "status": "refuted", "args": [{"name": "size", "value": 24}]},
]


def _report(category: str = "unknown", root: str = "", **analysis: object) -> Report:
    ai = {"category": category, "rootCause": root, "frame": {"function": root}}
    return Report({"analysis": {"aiAnalysis": ai, **analysis}})


@pytest.mark.parametrize(
    ("words", "category", "root", "right", "held"),
    [
        ("double free", "double-free", "", "right", []),
        ("attempting double-free in Parser::close", "double-free", "Parser::close frees it",
         "right", [True]),
        ("kernel null deref", "null-pointer-dereference", "", "right", []),
        ("kernel null deref", "wild-pointer", "", "wrong", []),
        ("kernel null deref", "unknown", "", "open", []),
        ("null read of 0x7f0010 in load_page()", "null-pointer-dereference", "load_page", "right",
         [None, True]),
        ("null read in load_page()", "null-pointer-dereference", "close_page", "right", [False]),
        ("Heap buffer overrun: `fill_row` writes", "out-of-bounds-write", "fill_row", "right",
         [True]),
        ("stack overflow in parse_value", "stack-overflow", "parse_item", "right", [None]),
        ("no crash: dump requested", "unknown", "", "right", []),
        ("no crash: dump requested", "deadlock", "", "wrong", []),
        ("panicked at 'already borrowed'", "panic", "it says 'already borrowed'", "right", [True]),
    ],
)  # fmt: skip
def test_a_cause_in_words_is_compared_by_sort_names_and_addresses(
    words: str, category: str, root: str, right: str, held: list[bool | None]
) -> None:
    expected = Expected(**expected_of(words))
    assert verdict(expected, category) == right
    assert list(judging.checks(expected.facts, _report(category, root)).values()) == held


def test_the_frame_of_what_is_not_known_is_no_culprit() -> None:
    ai = {"category": "unknown", "frame": {"function": "print_stack"}}
    assert judging.checks({"frames": ["main"]}, Report({"analysis": {"aiAnalysis": ai}})) == {
        "frame": None
    }


@pytest.mark.parametrize("words", [None, "", "test_MinidumpParser", 3])
def test_a_cause_that_is_none_is_not_scored(words: object) -> None:
    assert stated(words) is None


def test_numbers_are_compared_in_either_base() -> None:
    assert {0x7FFE, 0xC0000005, 12, 0x000000010A0} <= numbers("0x7ffe c0000005 12 000010a0")


def test_a_dump_is_compared_by_what_is_known() -> None:
    report = _report(
        environment={"os": "windows", "arch": "i386"},
        exception={"type": "ACCESS_VIOLATION", "hresult": "0xc0000005", "threadId": 77},
        summary={"threadCount": 2, "moduleCount": 3},
    )
    truth: dict[str, object] = {"os": "Windows NT", "cpu": "x86", "exception": "0xc0000005"}
    truth |= {"threads": 2, "modules": 4, "crashing_thread_id": 77, "address": None}
    found = judging.checks(truth, report)
    assert found.pop("modules") is False
    assert all(found.values())
    assert set(found) == {"os", "cpu", "exception", "threads", "thread"}


def test_a_signal_may_be_a_number_or_a_name() -> None:
    report = _report(environment={"os": "linux"}, exception={"signal": "SIGSEGV"})
    assert judging.exception_holds("0xb", report)
    assert not judging.exception_holds("0x6", report)


@pytest.mark.parametrize(
    ("truth", "held"),
    [
        ({"exception": 6}, False),  # the thread's number and the address are no codes
        ({"exception": 11}, True),
        ({"os": "windows"}, False),  # "nt" is in Ubuntu
        ({"frames": ["main"]}, False),
        ({"frames": ["prune_domain"]}, True),
        ({"frames": ["prune"]}, False),  # a scope
        ({"frames": ["src.c", "matrix.c"]}, True),
        ({"frames": ["src.c"]}, False),
        ({"place": "x.c:4"}, False),
        ({"place": "matrix.c:4"}, True),
        ({"place": "src/matrix.c:4"}, True),
        ({"names": ["a"]}, None),
        ({"names": ["count"]}, None),  # what was asked on the way concludes nothing
        ({"numbers": [2989]}, None),
        ({"numbers": [3]}, None),  # a citation's
        ({"numbers": [6]}, True),
        ({"address": 2989}, False),
        ({"names": ["till::Drawer"]}, True),
        ({"place": "vault.c:4"}, False),
        ({"stack": ["main", "prune_domain"]}, True),
        ({"stack": ["main", "close"]}, False),
        ({"stack": ["main", "close", "prune_domain"]}, None),  # of which it may be a part
        ({"numbers": {"size": 16}}, True),
        ({"numbers": {"size": 24}}, False),  # told otherwise
        ({"numbers": {"count": 24}}, None),
        ({"names": {"function": "shut"}}, False),
        ({"names": {"function": ["prune_domain", "shut"]}}, True),
        ({"names": {"variable": "till"}}, None),
    ],
)  # fmt: skip
def test_a_part_of_a_name_is_not_the_name(truth: dict[str, object], held: bool | None) -> None:
    report = Report({"analysis": {
        "environment": {"os": "Ubuntu linux"},
        "exception": {"signal": "SIGSEGV", "threadId": 6, "message": "SIGSEGV (11) at 0x6",
                      "faultAddress": "0x6", "stackTrace": STACK},
        "aiAnalysis": {"frame": {"function": "prune::prune_domain(int)", "file": "matrix.c",
                                 "line": 4}, "rootCause": "till.Drawer was closed [E1:3]",
                       "evidenceLedger": [{"command": "p count", "size": 2989}],
                       "claims": CLAIMS},
    }})  # fmt: skip
    assert next(iter(judging.checks(truth, report).values())) is held


_ANALYZER = """
def test_freed(self):
    data = self._read_test_data('freed.txt')
    expected_type = 'Heap-use-after-free\\nREAD 8'
    expected_address = '0x602000000010'
    expected_state = ('till::close\\n' 'main\\n')
    self._validate_get_crash_data(data, expected_type, expected_address, expected_state)
"""
_CRASH_INFO = """
def test_stop():
    crashInfo = GDBCrashInfo([], (FIXTURE_PATH / "stop.txt").read_text().splitlines(), config)
    assert crashInfo.backtrace[1] == "till::shut"
    assert crashInfo.backtrace[2] == "??"
    assert crashInfo.backtrace[3] == "libtill.so+0x18"
    assert crashInfo.crashAddress == 0x18
    assert crashInfo.crashInstruction == "mov (%rax),%eax"

def test_stop_beside_lines_of_its_own():
    more = ["Crash|SIGSEGV|0x0|0"]
    crashInfo = CrashInfo([], (FIXTURE_PATH / "stop.txt").read_text().splitlines(), more)
    assert crashInfo.backtrace[0] == "elsewhere"
"""


@pytest.mark.parametrize(
    ("test", "log", "one", "address", "stated"),
    [
        ("stack_analyzer_test.py:" + _ANALYZER, "stack_analyzer_data/freed.txt",
         "use-after-free", 0x602000000010, {"frames": ["till::close", "main"]}),
        ("test_CrashInfo.py:" + _CRASH_INFO, "fixtures/stop.txt",
         "null-pointer-dereference", 0x18, {"stack": ["till::shut"]}),
    ],
)  # fmt: skip
def test_what_tests_of_other_parsers_expect_is_read(
    tmp_path: Path, test: str, log: str, one: str, address: int, stated: dict[str, list[str]]
) -> None:
    name, _, code = test.partition(":")
    (tmp_path / log).parent.mkdir()
    (tmp_path / log).write_text("a log\n", encoding="utf-8")
    (tmp_path / name).write_text(code, encoding="utf-8")
    (case,) = corpora.load(str(tmp_path))
    assert case.target == log
    known = case.expected
    # An analyzer's state is the program's frames; a test that names one of a parsed stack says
    # nothing of whose it is.
    told = {name: value for name, value in known.facts.items() if name != "address"}
    assert (told, known.facts["address"]) == (stated, address)
    ai = {"category": one, "frame": {"function": "till::close()"}}
    stack = [{"function": "till::close()"}, {"function": "till::shut::h0123456789abcdef"}]
    exception = {"faultAddress": hex(address), "stackTrace": stack}
    report = Report({"analysis": {"aiAnalysis": ai, "exception": exception}})
    held = judging.checks(known.facts, report)
    assert list(held.values()) == [True, True]
    exception["stackTrace"] = ai["frame"] = {}
    assert judging.checks(known.facts, report) == dict.fromkeys(held) | {"address": True}
    assert verdict(known, one) == "right"


@pytest.mark.parametrize(
    ("state", "named"),
    [
        ("till::close", "till::close"), ("close", "close"), ("~Till", "~Till"),
        ("void till::Vault<int>::close<till::Vault", "till::Vault::close"),
        ("till::Vault<a const *>::close(int) const", "till::Vault::close"),
        ("till::Coin::operator+=", "till::Coin::operator+="),
        ("till.(*Vault).close", "till.(*Vault).close"), ("close(org.till.Vault)", "close"),
        ("Fatal process out of memory: till::Vault::grow in vault.h", "vault.h"),
        ("i < size() in vault.h", "vault.h"), ("till_fuzzer.cc", "till_fuzzer.cc"),
        ("Bad-cast to Till from Vault", ""), ("(j < i)", ""), ("not reached", ""),
        ("till-fuzzer", ""), ("NULL", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_state_names_a_function_or_a_file(state: str, named: str) -> None:
    assert parsers._frame(state) == named


_CASR = """
#[test]
fn test_dest_av() {
    let paths = [
        abs_path("tests/casr_tests/bin/core.test_destAv"),
        abs_path("tests/casr_tests/bin/test_destAv"),
    ];
        assert_eq!(severity_desc, "DestAv");
}
#[test]
fn test_asan() {
    let paths = [abs_path("tests/casr_tests/bin/load_fuzzer")];
}
"""


def test_casrs_cores_state_a_severity(tmp_path: Path) -> None:
    (tmp_path / "casr" / "tests" / "casr_tests").mkdir(parents=True)
    (tmp_path / "casr" / "tests" / "tests.rs").write_text(_CASR)
    found = casr.suite(tmp_path)
    assert found is not None
    (case,) = found.cases
    assert case.target == "casr/tests/casr_tests/bin/core.test_destAv"
    assert case.executable == "casr/tests/casr_tests/bin/test_destAv"
    assert case.expected.severity == "DestAv"


def test_a_bug_with_its_fix_is_built_on_permission_and_its_origin_known(tmp_path: Path) -> None:
    bug = tmp_path / "till-1"
    bug.mkdir()
    (bug / "till.c").write_text(
        "#include <unistd.h>\n"
        "int main(int n, char **v) { return access(v[2], 0) ? 3 : *(int *)(long)(n - 3); }\n"
    )
    (bug / "build.sh").write_text("gcc -g -o till till.c\n")
    (bug / "command").write_text("till 'one argument' till.c\n")
    (bug / "fix.patch").write_text(
        "--- a/till.c\n+++ b/till.c\n@@ -1 +1 @@ int count(struct drawer *d)\n-x\n+y\n"
        "--- a/tests/t.c\n+++ b/tests/t.c\n@@ -1 +1 @@ void check(void)\n-x\n+y\n"
    )
    (case,) = corpora.load(str(tmp_path))
    assert [(o.function, o.file) for o in case.expected.origins] == [("count", "till.c")]
    with pytest.raises(CannotMake, match="--allow-build"):
        making.make(case, cache_dir(), allow_build=False)
    made = making.make(case, cache_dir(), allow_build=True)
    assert made.executable is not None
    assert made.target.is_file()
    assert not (bug / "till").exists(), "it is built in a copy"


def test_each_real_bug_says_its_fix_its_input_and_its_origin() -> None:
    folder = Path(__file__).parent / "bugs"
    cases = corpora.load(str(folder))
    assert len(cases) >= 6
    for case in cases:
        assert case.make is not None
        _, _, repository, fix, flags = case.make.command
        assert re.fullmatch(r"https://github\.com/[\w-]+/[\w-]+", repository)
        assert re.fullmatch(r"[0-9a-f]{40}", fix)
        assert " -o" not in flags
        (argument,) = case.make.arguments
        assert (folder / "source" / argument).is_file()
        (origin,) = case.expected.origins
        assert origin.file.endswith(".c")
        with pytest.raises(CannotMake, match="--allow-build"):
            making.make(case, cache_dir(), allow_build=False)


def test_bugscpps_own_layout_gives_origins_and_says_what_is_built_elsewhere(tmp_path: Path) -> None:
    project = tmp_path / "bugscpp" / "taxonomy" / "till"
    (project / "patch").mkdir(parents=True)
    told = {"info": {"url": "https://example.org/till"}, "defects": [{"id": 7, "hash": "c0ffee"}]}
    (project / "meta.json").write_text(json.dumps(told))
    (project / "patch" / "0007-buggy.patch").write_text(
        "--- a/till.c\n+++ b/till.c\n@@ -1 +1 @@ int count(struct drawer *d)\n-x\n+y\n"
    )
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "meta.json").write_text("[]")
    (case,) = corpora.load(str(tmp_path))
    assert [(o.function, o.file) for o in case.expected.origins] == [("count", "till.c")]
    with pytest.raises(CannotMake, match=r"core\.7 is not in the corpus: .* in Docker, .* c0ffee"):
        investigating.check_there(case)
    for name in ("core.7", "program.7"):
        (project / name).touch()
    investigating.check_there(case)
    assert making.make(case, cache_dir(), allow_build=False).target == project / "core.7"


def test_the_function_of_a_change_is_the_last_that_begins_above_it(tmp_path: Path) -> None:
    (tmp_path / "till.c").write_text("static int\nopen_till(int n)\n{\nredo:\n  n++;\n}\n")
    (tmp_path / "fix.patch").write_text(
        "Fix open (and close)\n--- a/till.c\n+++ b/till.c\n"
        "@@ -5,2 +5,2 @@ redo:\n-  n++;\n+  n--;\n }\n"
        "@@ -9,6 +9,7 @@ int before(int n)\n }\n \n int declared(int);\n"
        " void Till::shut(char **v)\n {\n+  close(v);\n }\n"
        "--- a/../out.c\n+++ b/../out.c\n@@ -1 +1 @@ redo:\n-x\n+y\n-- \n2.25.1\n"
    )
    found = [(origin.function, origin.file) for origin in origins_of(tmp_path / "fix.patch")]
    assert found == [("open_till", "till.c"), ("Till::shut", "till.c")]


def _with(tmp_path: Path, **make: object) -> Case:
    (tmp_path / "till.c").write_text("int main(void) { __builtin_trap(); }\n")
    return Case(id="till", folder=str(tmp_path), target="till.c", make=Make.model_validate(make))


@pytest.mark.parametrize(
    "flag",
    ["-wrapper", "touch,owned", "-save-temps", "-dumpdir", "/tmp/", "-o", "-B.", "@options", "x.o",
     "-specs=own", "-fplugin=own", "-fdump-tree-all=/tmp/x", "-fprofile-dir=/tmp", "-L.", "-I/etc",
     "-fmodule-mapper=|touch", "-ffile-prefix-map=/a=/b", "-Wl,-o,x", "-Wa,-o,x", "-Wp,-MD,x",
     "-Clinker=touch", "-gClinker=touch", "-OClinker=touch", "-gox", "-l:../x", "--emit=x", "-g\n"],
)  # fmt: skip
def test_a_flag_that_names_a_file_or_a_program_is_refused(tmp_path: Path, flag: str) -> None:
    with pytest.raises(CannotMake) as refused:
        making.make(_with(tmp_path, flags=["-g", flag]), cache_dir(), allow_build=True)
    assert str(refused.value) == f"no corpus may give the flag {printable(flag)}"
    other = _with(tmp_path, flags=["-g"]).model_copy(update={"changes": (f"other-build:{flag}",)})
    with pytest.raises(CannotMake, match="may give the flag"):
        change(other, making.Made(tmp_path, None), cache_dir())


def test_flags_of_the_field_are_taken(tmp_path: Path) -> None:
    flags = ["-gdwarf-4", "-ggdb3", "-Og", "-std=gnu++17", "-DTILL=\"a b\"", "-U_FORTIFY_SOURCE",
             "-fsanitize=undefined", "-fcf-protection=none", "-march=x86-64", "-m64", "-Wall",
             "-Wno-unused", "-Wl,-z,relro,-z,now", "-Wl,--build-id=none", "-lm", "-pthread",
             "-no-pie", "-s"]  # fmt: skip
    assert making.built(_with(tmp_path, flags=flags), cache_dir()).is_file()
    mine = {flag for name in corpora.shipped() for case in corpora.load(name) if case.make
            for flag in case.make.flags}  # fmt: skip
    with pytest.raises(CrashError):  # gcc's own refusal: rustc's flags are among them
        making.compiled(_with(tmp_path), cache_dir(), (*sorted(mine), "-mno-such-target"))


@pytest.mark.parametrize(
    ("update", "made", "ours"),
    [
        ({}, {}, True),
        ({}, {"environment": {"TILL_TITLE": "words"}}, True),
        ({}, {"flags": ("-g", "-O0", "-Dputs=system")}, False),
        ({}, {"command": ("sh", "-c", "id")}, False),
        ({}, {"environment": {"LD_PRELOAD": "/tmp/x.so"}}, False),
        ({}, {"arguments": ("--yes",)}, False),
        ({"target": "manifest.json"}, {}, False),
        ({"corpus": "loaders"}, {}, False),
        ({"corpus": "../../../tests"}, {}, False),
        ({"folder": "/tmp"}, {}, False),
    ],
)
def test_what_ships_is_what_a_manifest_says_and_no_run_s_file(
    update: dict[str, object], made: dict[str, object], ours: bool
) -> None:
    (shipped, *_) = corpora.load("programs")
    assert shipped.make is not None
    make = shipped.make.model_copy(update=made)
    assert ships(shipped.model_copy(update={"make": make, **update})) is ours


def test_all_that_ships_is_made_without_being_asked_for() -> None:
    for name in corpora.shipped():
        assert all(ships(case) for case in corpora.load(name) if case.make)
