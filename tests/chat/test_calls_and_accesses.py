"""Asked with what a function was called, or which way an access went, the answer is what the stacks
and the reports say: a race is of two accesses, and only a thread's name tells which is meant."""

import pytest

from tests.chat.conftest import GDB_LOG, Asker

RACE = """\
WARNING: ThreadSanitizer: data race (pid=19)
  Write of size 8 at 0x7b3400000340 by thread T1 (mutexes: write M11):
    #0 forget_sums depot/shelf.c:313 (depot+0x15727)
    #1 refresh depot/shelf.c:849 (depot+0x190fa)

  Previous read of size 8 at 0x7b3400000340 by thread T17:
    [failed to restore the stack]

  Location is heap block of size 200 at 0x7b3400000340 allocated by main thread:
    #0 malloc ../../tsan/tsan_interceptors_posix.cpp:680 (libtsan.so.2+0x4302f)
    #1 load_sums depot/shelf.c:1175 (depot+0x1b2f4)

SUMMARY: ThreadSanitizer: data race depot/shelf.c:313 in forget_sums
"""
FREED = """\
==41== Invalid read of size 8
==41==    at 0x403C12: poll_jobs (run.c:146)
==41==    by 0x4015C0: main (quay.c:132)
==41==  Address 0x52087e0 is 48 bytes inside a block of size 560 free'd
==41==    at 0x4C2EDEB: free (in /usr/lib/valgrind/vgpreload_memcheck-amd64-linux.so)
==41==    by 0x403AF0: drop_job (run.c:62)
==41==    by 0x4015C0: main (quay.c:132)
==41==  Block was alloc'd at
==41==    at 0x4C2DB8F: malloc (in /usr/lib/valgrind/vgpreload_memcheck-amd64-linux.so)
==41==    by 0x402829: new_jobs (run.c:50)
==41==    by 0x4015C0: main (quay.c:132)
"""
MOVERS = """\
(gdb) thread apply all bt

Thread 2 (Thread 0x7f01 (LWP 71)):
#0  move (from=0x4060 <savings>, to=0x40a0 <checking>, amount=250) at bank.c:11
#1  0x0000000000401150 in save (arg=0x0) at bank.c:16

Thread 1 (Thread 0x7f02 (LWP 70)):
#0  move (from=0x40a0 <checking>, to=0x4060 <savings>, amount=40) at bank.c:11
#1  0x0000000000401170 in main () at bank.c:30
"""


async def _asked(to_ask: Asker, log: str, question: str) -> tuple[str, str, bool, str]:
    """The verdict, what was told and what contradicts, and whether the question was understood."""
    reply = (await (await to_ask(log)).ask_question(question)).reply
    assert reply is not None
    told = "\n".join(claim.text for claim in reply.claims)
    no = "\n".join(one.claim.text for one in reply.contradictions)
    return reply.verdict, told, reply.understood, no


@pytest.mark.parametrize(
    ("question", "told", "lacking"),
    [
        ("which two threads race?", "by thread T17", "allocated"),
        ("which mutex did the writer hold?", "mutexes: write M11", "T17"),
        ("did T17 read or write?", "Previous read of size 8", "Write of size"),
        ("why is there no stack for T17?", "failed to restore the stack", "nothing of this kind"),
        ("who allocated the memory?", "load_sums", "forget_sums"),
    ],
)
async def test_of_a_race(to_ask: Asker, question: str, told: str, lacking: str) -> None:
    _, found, understood, _ = await _asked(to_ask, RACE, question)
    assert told in found
    assert lacking not in found
    assert understood


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("did T17 write?", "no"),
        ("did T17 read it?", "yes"),
        ("did T1 write?", "yes"),
        ("did T1 read it?", "no"),
        ("was it a write?", "open"),
        ("was it a read?", "open"),
    ],
)
async def test_which_of_two_accesses(to_ask: Asker, question: str, verdict: str) -> None:
    assert (await _asked(to_ask, RACE, question))[0] == verdict


@pytest.mark.parametrize(
    ("question", "told", "lacking"),
    [
        ("is it a read or a write?", "Invalid read of size 8", "free"),
        ("was it a write or a read?", "Invalid read of size 8", "free"),
        ("who allocated the block that was freed?", "new_jobs", "drop_job"),
        ("who freed it?", "drop_job", "new_jobs"),
        ("who freed the block which was allocated?", "drop_job", "new_jobs"),
    ],
)
async def test_of_a_block(to_ask: Asker, question: str, told: str, lacking: str) -> None:
    _, found, understood, _ = await _asked(to_ask, FREED, question)
    assert told in found
    assert lacking not in found
    assert understood


@pytest.mark.parametrize(
    ("question", "told", "lacking"),
    [
        ("was move called with amount 250?", "amount=250", "amount=40"),
        ("was move called with an amount of 40?", "amount=40", "amount=250"),
        ("was move called with 250?", "amount=250", "amount=40"),
        ("did save call move with 250?", "amount=250", "amount=40"),
        ("was move called with from 250?", "amount=40", "nothing of this kind"),
    ],
)
async def test_a_call_with_what_is_stated(
    to_ask: Asker, question: str, told: str, lacking: str
) -> None:
    verdict, found, understood, _ = await _asked(to_ask, MOVERS, question)
    assert f"{told})" in found
    assert f"{lacking})" not in found
    assert verdict == "open"  # it may have been changed since
    assert understood


async def test_a_call_with_null(to_ask: Asker) -> None:
    verdict, found, understood, _ = await _asked(
        to_ask, GDB_LOG, "was close_drawer called with NULL?"
    )
    assert "close_drawer (it=0x0)" in found
    assert (verdict, understood) == ("open", True)


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("did save call move?", "yes"),
        ("was move called by main?", "yes"),
        ("was move called from save()?", "yes"),
        ("did move call save?", "open"),
        ("was save called by main?", "open"),
    ],
)
async def test_whether_one_called_another(to_ask: Asker, question: str, verdict: str) -> None:
    assert (await _asked(to_ask, MOVERS, question))[0] == verdict


ENDED = """\
(gdb) bt
#0  __pthread_kill_implementation (signo=6) at ./nptl/pthread_kill.c:44
#1  0x00007ffff7a3c476 in __GI_raise (sig=6) at ../sysdeps/posix/raise.c:26
#2  0x00007ffff7a227f3 in __GI_abort () at ./stdlib/abort.c:79
#3  0x0000555555555311 in watch (till=0x0) at till.c:8
#4  0x0000555555555372 in main () at till.c:12
"""


@pytest.mark.parametrize(
    ("question", "caller"),
    [
        ("who called abort?", "in watch"),
        ("which function called raise()?", "in __GI_abort"),
        ("who called watch?", "in main"),
        ("who called sleep?", ""),
    ],
)
async def test_who_called_a_function_of_libc(to_ask: Asker, question: str, caller: str) -> None:
    _, told, _, _ = await _asked(to_ask, ENDED, question)
    assert ("Called from" in told) is bool(caller)
    assert caller in told


LATE = """\
==9442==ERROR: AddressSanitizer: heap-use-after-free on address 0x60700000dfb5 at pc 0x45917b bp 0x7fff4490c700 sp 0x7fff4490c6f8
READ of size 1 at 0x60700000dfb5 thread T2
    #0 0x45917a in lookup_name /src/dir/names.c:51
    #1 0x459300 in serve_loop /src/dir/server.c:120
0x60700000dfb5 is located 5 bytes inside of 80-byte region [0x60700000dfb0,0x60700000e000)
freed by thread T1 here:
    #0 0x4441ee in __interceptor_free (/src/dir/srv+0x4441ee)
    #1 0x45914a in drop_name /src/dir/names.c:33
    #2 0x459400 in expire_loop /src/dir/expire.c:18
previously allocated by thread T0 here:
    #0 0x44436e in __interceptor_malloc (/src/dir/srv+0x44436e)
    #1 0x45913f in add_name /src/dir/names.c:12
    #2 0x459500 in main /src/dir/main.c:9
Thread T2 created by T0 here:
    #0 0x440000 in __interceptor_pthread_create (/src/dir/srv+0x440000)
    #1 0x459520 in main /src/dir/main.c:21
SUMMARY: AddressSanitizer: heap-use-after-free /src/dir/names.c:51 in lookup_name
"""  # noqa: E501


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("did T1 free it?", "yes"),
        ("did thread 1 free it?", "yes"),
        ("did T2 free it?", "no"),
        ("did T0 free it?", "no"),
        ("did T0 allocate it?", "yes"),
        ("did drop_name free it?", "yes"),
        ("was it freed by drop_name?", "yes"),
        ("did add_name allocate it?", "yes"),
        ("did lookup_name free it?", "open"),
        ("did expire_loop free it?", "open"),
        ("did drop_name allocate it?", "open"),
        ("did T1 free it before?", "open"),
        ("did T2 write?", "no"),
    ],
)
async def test_who_did_it(to_ask: Asker, question: str, verdict: str) -> None:
    assert (await _asked(to_ask, LATE, question))[0] == verdict


async def test_who_created_a_thread_is_no_access(to_ask: Asker) -> None:
    _, found, understood, _ = await _asked(to_ask, LATE, "who created T2?")
    assert "main.c:21" in found
    assert "READ" not in found
    assert understood


STRLEN = """\
(gdb) core-file core
Core was generated by `./shop'.
Program terminated with signal SIGSEGV, Segmentation fault.
#0  __strlen_evex () at ../sysdeps/x86_64/multiarch/strlen-evex.S:79
(gdb) bt
#0  __strlen_evex () at ../sysdeps/x86_64/multiarch/strlen-evex.S:79
#1  0x0000556a17cad1ae in build (home=0x0, s=3) at shop.c:5
#2  0x0000556a17cad098 in main () at shop.c:6
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [("who called strlen?", 'Called from: "#1'), ("did build call strlen?", 'Called from: "#1')],
)
async def test_a_variant_of_a_function_is_asked_for_by_its_name(
    to_ask: Asker, question: str, told: str
) -> None:
    assert told in (await _asked(to_ask, STRLEN, question))[1]
