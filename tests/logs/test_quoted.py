"""A report in a mail that quotes it, and a string that holds the words of one."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.agents.experts import proposals, verdict
from workbench.model.category import Category as C
from workbench.model.facts import Quoted
from workbench.targets.errors import TargetError

RACE = """\
WARNING: ThreadSanitizer: data race (pid=21382)
  Read of size 8 at 0x000000979970 by thread T1:
    #0 count_coins till.c:35 (till+0x6cde1c)
    #1 close_drawer drawer.c:105 (till+0x6a3bf0)

  Previous write of size 8 at 0x000000979970 by main thread:
    #0 count_coins till.c:38 (till+0x6cde1c)
"""
PROMPTS = """\
> clrthreads
ThreadCount:      1
UnstartedThread:  0
> threadpool
Portable thread pool
CPU utilization:  1%
Workers Total:    3
Workers Running:  3
Workers Idle:     0
"""


@pytest.mark.parametrize("before", ["", "Bob wrote:\n\n"])
@pytest.mark.parametrize("mark", ["> ", ">"])
def test_a_report_behind_angles(tmp_path: Path, before: str, mark: str) -> None:
    quoted = "".join(f"{mark}{line}\n" for line in RACE.splitlines())
    read = read_text(tmp_path, before + quoted)
    assert (read.category, read.function) == (C.DATA_RACE, "count_coins")


def test_prompts_are_no_quotation(tmp_path: Path) -> None:
    assert read_text(tmp_path, PROMPTS).hosts == ["dotnet-dump", "dotnet-dump"]


ASAN = "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1"
READ = "READ of size 4 at 0x602000000010 thread T0\n    #0 0x1 in count_coins till.c:35\n"
QUOTING = [
    f'INFO request body="{ASAN}\\nREAD of size 4 {"." * 4000}"',
    f'INFO request body="{ASAN}\\n"',
    f'    printf("{ASAN}");',
    f"    expect(log).not.toBe('{ASAN}');",
    '    puts("BUG: KASAN: use-after-free in till_send+0x141/0x2e0");',
    '    body="Program received signal SIGSEGV, Segmentation fault."',
]


PANIC = "thread 'main' panicked at src/till.rs:14:9:\nindex out of bounds: the len is 3\n"


@pytest.mark.parametrize(
    ("prompt", "command", "category"),
    [
        ("$", "cat old.log", C.PANIC),
        ("bob@till:~/shop$", "zcat old.log.gz | grep -A9 'ERROR|WARN' | less", C.PANIC),
        ("[root@till shop]#", "sudo tail -n 40 /var/log/till.log", C.PANIC),
        ("$", "cat day.csv | ./count", C.USE_AFTER_FREE),
        ("$", "cat day.csv; ./count", C.USE_AFTER_FREE),
        ("$", "./count", C.USE_AFTER_FREE),
    ],
)
def test_a_file_that_was_shown_before_a_failure_holds_none_of_it(
    tmp_path: Path, prompt: str, command: str, category: C
) -> None:
    shown = f"{prompt} {command}\n{ASAN}\n{READ}"
    failed = f"{prompt} ./till\n{PANIC}{prompt} echo $?\n101\n"
    assert read_text(tmp_path, shown + failed).category is category
    # The file may hold what was printed before, and may be all that there is.
    assert read_text(tmp_path, failed + shown).category is C.USE_AFTER_FREE
    assert read_text(tmp_path, shown).category is C.USE_AFTER_FREE
    core = f"{prompt} gdb -q till core\n(gdb) bt\n#0  0x55d1 in add (row=0x55) at till.c:9\n"
    assert read_text(tmp_path, f"{shown}{core}(gdb) quit\n").category is C.USE_AFTER_FREE


OLD = (
    'Traceback (most recent call last):\n  File "/srv/old.py", line 3, in load\n    x = d["k"]\n'
    "KeyError: 'k'\n",
    "Program received signal SIGSEGV, Segmentation fault.\n0x5601 in sum (p=0x0) at sum.c:4\n"
    "(gdb) bt\n#0  0x5601 in sum (p=0x0) at sum.c:4\n(gdb) quit\n",
)


@pytest.mark.parametrize("old", OLD)
def test_what_was_shown_is_no_part_of_what_failed_next(tmp_path: Path, old: str) -> None:
    new = OLD[0].replace("load", "run").replace("old.py", "run.py")
    log = f"bob@till:~$ less old.txt\n{old}bob@till:~$ python3 run.py\n{new}bob@till:~$\n"
    assert read_text(tmp_path, log).function == "run"


def test_another_process_caused_nothing(tmp_path: Path) -> None:
    other = "==2==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000 (pc 0x55d01 bp 2)\n"
    other += "==2==The signal is caused by a READ memory access.\n    #0 0x5 in draw till.c:44\n"
    facts = read_text(tmp_path, f"{ASAN}\n{READ}==1==ABORTING\n{other}==2==ABORTING\n").facts
    assert verdict(C.NULL_POINTER_DEREFERENCE, facts).reason == "AddressSanitizer reports it."
    said = verdict(C.USE_AFTER_FREE, facts).reason
    assert said == "The log reports this too, of another process."


def test_a_logged_exception_info_is_no_end(tmp_path: Path) -> None:
    """Windows' event 1026 says in front of it that the process was terminated."""
    with pytest.raises(TargetError, match="it is not a dump"):
        read_text(
            tmp_path,
            "10:00:00 WARN retrying\nException Info: System.IO.IOException: disk is busy\n"
            "   at Shop.Store.Save(String name) in C:\\shop\\Store.cs:line 40\n"
            "10:00:01 INFO upload succeeded\n",
        )


@pytest.mark.parametrize("line", QUOTING)
def test_a_string_of_a_line_is_no_report(tmp_path: Path, line: str) -> None:
    with pytest.raises(TargetError, match="it is not a dump"):
        read_text(tmp_path, f"start\n{line}\nall 12 tests passed\n")
    read = read_text(tmp_path, f"{ASAN}\n{READ}\n{line}\n")
    assert (read.category, len(read.findings)) == (C.USE_AFTER_FREE, 1)


@pytest.mark.parametrize(
    "text",
    [
        "".join(f'"{line}"\n' for line in (ASAN + "\n" + READ).splitlines()),
        f'request="GET /" {ASAN}\n{READ}',
    ],
)
def test_a_report_beside_or_over_a_quotation_is_read(tmp_path: Path, text: str) -> None:
    assert read_text(tmp_path, text).category is C.USE_AFTER_FREE


GO = "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select]:\nmain.main()\n"
PANIC = "thread 'main' panicked at till.rs:3:5:\nempty\nstack backtrace:\n   0: till::add\n"


@pytest.mark.parametrize(
    "text",
    [
        f'FAILED: "{ASAN}\n{READ}"\n',
        f'request body: "{"=" * 65}\n{ASAN}\n{READ}"\nINFO request served, 200\n',
        f'body="hello\nworld\n{ASAN}\n{READ}" user=x\n',
        f'POST /crash data="\n{ASAN}\n{READ}")\nServer stopped normally\n',
        f'INFO user said: "\n{GO}\t/a/b.go:3 +0x2\n"\n',
        f'{{"text": "\n{RACE}"}}\n',
        f'body="\n{PANIC}"\n',
        f'body="{GO}"\nINFO served\n',
        f'body = """\n{ASAN}\n{READ}"""\nERROR disk is full\n',
        f"INFO it's served, body=b'\n{ASAN}\n{READ}'\nERROR disk isn't there\n",
        'body="\n[1.2] till[7]: segfault at 0 ip 4011 sp 7ffe error 6 in till[401000+1000]\n"\n',
        'body="\nProgram received signal SIGSEGV, Segmentation fault.\n'
        '#0  add () at till.c:3\n#1  main () at till.c:9\n"\n',
        'body="\nProgram received signal SIGSEGV, Segmentation fault.\n0x4011 in add ()\n'
        '(gdb) bt\n#0  add () at till.c:3\n#1  main () at till.c:9\n(gdb) quit\n"\nERROR full\n',
        'body="\n0:000> k\n # Child-SP RetAddr Call Site\n00 0012 0011 till!add+0x3\n"\nfull\n',
    ],
)
def test_of_a_report_that_a_message_quotes_only_the_defect_that_it_names_is_told(
    tmp_path: Path, text: str
) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, {type(fact) for fact in read.facts} - {Quoted}) == (None, set())
    hypotheses, _ = proposals(read.facts, set())
    verdicts = [verdict(one.category, read.facts) for one in hypotheses]
    assert all(one.missing and one.frame is None and not one.claims for one in verdicts)
    assert [one.category for one in hypotheses] == [fact.category for fact in read.facts]


@pytest.mark.parametrize(
    "text",
    [
        f'{{"msg":"{ASAN}","user":"x"}}\nINFO exit 0\n',
        f"{ASAN}\n",
        "==7==WARNING: MemorySanitizer: use-of-uninitialized-value\nexit 1\n",
    ],
)
def test_one_line_where_a_tool_prints_many_proves_nothing(tmp_path: Path, text: str) -> None:
    read = read_text(tmp_path, text)
    assert (read.category, read.findings[0].doubt) == (None, "alone")


@pytest.mark.parametrize(
    "before",
    ['title="the till"\n', 'a 5" disk\n', 'he said "no\nand "yes"\n', 'name="\n"\n', '"\n"\n'],
)
def test_quotation_marks_of_other_lines_quote_no_report(tmp_path: Path, before: str) -> None:
    assert read_text(tmp_path, f"{before}{ASAN}\n{READ}").category is C.USE_AFTER_FREE
