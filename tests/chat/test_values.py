"""Expressions, counts and what "it" means, asked of a real core in real debuggers."""

import re
from pathlib import Path

import pytest

from tests.crashes import build, crash
from workbench.agents.chat.asked import read
from workbench.agents.chat.clauses import affirmed
from workbench.agents.chat.expressions import expressions
from workbench.agents.chat.unknown import missed
from workbench.engine.recipe import GateMode
from workbench.model.target import Options
from workbench.opening import Request, open_session
from workbench.samples import demo_files
from workbench.settings import Settings

# The shipped sample: nine threads, six of them wait for four condition variables; kiosks 5, 4 and 2
# are left.
ASKED = (
    ("what is connections.count?", "`connections.count` is 3"),
    ("what is the value of message->from?", "`message->from` in `connection_send` is"),
    ("what is the name of the topic?", "`topic->name` in `topic_publish` is"),
    ("what is topic's name?", "`topic->name` in `topic_publish` is"),
    ("what is the type of the topic?", "`topic` is of type `struct topic *`"),
    ("print topic->name", "`topic->name` in `topic_publish` is"),
    ("what is nobody->home?", "The debugger knows no nobody->home"),
    ("what is conn->out->queued?", "Cannot access memory"),
    ("is message->length 7?", "contradicts `message->length` in `connection_send` is"),
    ("is message->length equal to 22?", "`message->length` in `connection_send` is 22"),
    ("message->length was 22 before", "`message->length` in `connection_send` is 22"),
    ("is thread 9178 stuck in poll?", "Thread 9178"),
    ("what is frame 2?", 'The stack: "#2'),
    ("what is the size of struct topic and struct outbox?", "`sizeof(struct topic)` is 88"),
    ("there are 64 connections, so is it full?", "contradicts `connections.count` is 3"),
    ("there are 3 connections", "`connections.count` is 3"),
    ("how many workers does the pool have busy?", "`pool.busy` is 1"),
    ("how many threads are there?", "There are 9 threads"),
    ("are there 22 messages?", "no verdict"),  # of so many bytes one is
    ("is pool.no less than 3?", "The debugger knows no pool.no"),
    ("who owns 0x1855dc00?", "0x1855dc00 is inside the chunk at 0x1855dbf0 of size 0x150, which"),
    ("is the pointer null?", "contradicts The faulting instruction at 0x401c5b reads from"),
    ("is 0x844c42fdebea7f2f a valid address?", "contradicts 0x844c42fdebea7f2f is in no mapping"),
    ("is 0x844c42fdebea7f2f unmapped?", "0x844c42fdebea7f2f is in no mapping"),
    ("is 0x1855dc00 a valid pointer?", "contradicts 0x1855dc00 is inside the chunk"),
    ("is 0x1855dc00 mapped?", "0x1855dc00 is in the heap"),
    ("which variable is wrong?", 'The variable: "out = 0x844c42fdebea7f2f"'),
    ("how big is the object that was freed?", "the chunk at 0x1855dbf0 of size 0x150"),
    ("what were the arguments of the program?", "command line: ./server --replay kiosks.trace"),
    ("how many threads publish a topic?", 'Not understood, or not in the evidence: "publish"'),
    ("how many threads wait for a condition?", "6 threads that wait for a condition variable"),
    ("how many threads wait for pool.work?", "are 3 threads that wait"),
    ("which threads wait for pool.work?", "Thread 9178 waits for the condition variable"),
    ("four threads wait for a condition variable", "contradicts There are 6 threads that wait"),
    ("six threads wait for a condition variable", "6 threads that wait for a condition variable"),
    ("which thread crashed?", "SIGSEGV in thread 9179"),
    ("what is its stack?", "Read as: what is thread 9179's stack?"),
    ("what does that thread wait for?", "Read as: what does thread 9179 wait for?"),
    ("what is message->length?", "`message->length`"),
    ("is it zero, or what value does it have?", "contradicts `message->length` in"),
    ("is topic null?", "contradicts `topic` in `topic_publish` is"),
    ("what is message in topic_publish?", "`message` in `topic_publish` is"),
    ("what is kiosk in connection_send?", "knows no kiosk"),
    ("what is topic in frame 1?", "`topic` in `topic_publish` is"),
    ("what is topic in frame 0?", "knows no topic"),
    ("message->length in frame 0", "`message->length` in `connection_send` is 22"),
    ("print topic->name in frame #1", "`topic->name` in `topic_publish` is"),
    ("what is log_ring.lines[64]?", "`log_ring.lines` has 64 elements"),
    ("what is log_ring.lines[63][120]?", "`log_ring.lines[63]` has 120 elements"),
    ("how many frames does the stack have?", 'The stack is 6 frames deep, the last: "#5'),
    ("how deep is the stack?", "The stack is 6 frames deep"),
    ("and frame 3?", 'The stack: "#3'),
    ("what is slot in thread 9172?", "`slot` is 2 in thread 9172"),
    ("what is kiosks[3].fd in thread 9172?", "is 11"),
    ("who holds topic->lock?", "Thread 9179 holds the lock `topic->lock`"),
    ("why not H2?", "Wild-pointer is rejected: "),
    ("was it a data race?", "freed"),
    ("how large is struct outbox?", "`sizeof(struct outbox)` is 2080"),
    ("what is topic in frame 1 and frame 2?", "In frame 1, topic: "),
    ("what is topic in frames 1 and 0?", "knows no topic in frame 0"),
    ("which chunk is that memory in?", "is inside the chunk at"),
    ("is conn in freed memory?", "which is free"),
    ("is message freed?", "contradicts "),
    ("is message free?", "contradicts "),
    ("was message freed?", "A dump shows one moment"),
    ("was conn freed?", "which is free"),
    ("is message->length negative?", "contradicts `message->length` in `connection_send` is 22"),
    ("what is index?", "The debugger knows no"),
    ("disassemble the faulting instruction", 'The access: "instruction '),
    ("what does r12 hold?", 'The register: "r12'),
    ("which instruction faulted?", 'The access: "instruction '),
    ("what is kiosks[slot].fd in thread 9172?", "`kiosks[slot].fd` is 9 in thread 9172"),
    ("what is the message length?", "`message->length` is 22"),
    ("are the connections empty?", "contradicts `connections.count` is 3"),
    ("is message->length 22.5?", "contradicts `message->length` in `connection_send` is 22"),
    ("is message->length != 22?", "contradicts `message->length` in `connection_send` is 22"),
    ("is message->length > 22?", "contradicts `message->length` in `connection_send` is 22"),
    ("is message->length more than 22?", "contradicts `message->length` in `connection_send`"),
    ("is message->length <= 22?", "`message->length` in `connection_send` is 22"),
    ("is message->length below 30?", "`message->length` in `connection_send` is 22"),
    ("is message->length above 0x15?", "`message->length` in `connection_send` is 22"),
    ("is message->length 22 or not?", "`message->length` in `connection_send` is 22"),
    ("is 21 < message->length?", "no verdict"),
    ("is message->length => 23?", "no verdict"),
    ("is message->length & 1?", "no verdict"),
    ("is conn not freed?", "no verdict"),
    ("was message freed?", "no verdict"),
    ("is message->length not 22?", "no verdict"),
    ("did thread 9179 not crash?", "no verdict"),
    ("message->length is not 22, is it?", "no verdict"),
    ("was it a deadlock?", "freed"),
    ("why did it crash?", "freed"),
    ("who waits for what?", "Thread 9178 waits for the condition variable `pool.work` at"),
    ("which thread holds a lock?", "Thread 9179 holds the lock"),
    ("who called connection_send?", 'Called from: "#1'),
    ("what is message->length + 1?", "`message->length + 1` in `connection_send` is 23"),
    ("is message->length bigger than connections.count?", "`connections.count` is 3"),
    ("is connections.count equal to message->length?", "contradicts `connections.count` is 3"),
    ("what is the type of topic?", "`topic` is of type `struct topic *`"),
    ("how large is conn?", "is inside the chunk at 0x1855dbf0 of size"),
    ("who freed conn?", "which is free in the tcache"),
    ("who deleted out?", "A dump shows one moment"),
    ("is the heap corrupted?", "No damage of malloc's headers or lists was found"),
    ("is the heap intact?", "No damage of malloc's headers or lists was found"),
    ("how big is log_ring.lines?", "`log_ring.lines` is of type `char [64][120]`"),
    ("who has freed conn->out?", "A dump shows one moment"),
    ("which thread freed that?", "A dump shows one moment"),
    (
        "what did the giraffe do with conn->out?",
        'Not understood, or not in the evidence: "giraffe"',
    ),
    ("what is main doing?", "Thread "),
    ("which line is main at?", 'The stack: "#4'),
    ("what arguments did topic_publish get?", 'The arguments: "#1'),
    ("what does topic point to?", "'*topic' in E"),
    (
        "what is message->length times 2 plus 1?",
        "`message->length * 2 + 1` in `connection_send`",
    ),
    (
        "is anybody waiting for pool.work?",
        "Thread 9178 waits for the condition variable `pool.work`",
    ),
    ("is anyone waiting for topic->lock?", "contradicts There are 0 threads that wait"),
    ("does anybody hold topic->lock?", "Thread 9179 holds the lock `topic->lock`"),
    ("is topic->subscribers set?", "`topic->subscribers` in `topic_publish` is"),
    ("what type is topic?", "`topic` is of type `struct topic *`"),
    ("what is length?", "`message->length` in `connection_send` is 22"),
    ("what is slot in topic_publish?", "knows no slot"),
    ("what is topic in dispatch_all?", "Not found in the evidence"),
    ("how many threads are there and which one crashed?", 'Not answered: "which one crashed"'),
    ("who waits for snapshot?", "Thread 9176 waits for the condition variable `snapshot+0x28` at"),
    ("which threads are not waiting?", "Thread 9179 is computing"),
    ("which thread is busy?", "Thread 9179 is computing"),
    ("which threads run topic_publish?", "of thread 9179 is `topic_publish`"),
    ("how many threads are blocked in pthread_cond_wait?", "6 threads in `pthread_cond_wait`"),
    ("is thread 9178 waiting for a mutex?", "contradicts Thread 9178 waits for the condition"),
    ("what is the address of log_ring?", "`&log_ring` is"),
    ("what are the locals of topic_publish?", 'The variable: "'),
    ("how much stack is left?", 'The stack: "stack 0x'),
    ("who locked topic->lock?", "Thread 9179 holds the lock `topic->lock`"),
    ("is topic->lock held?", "Thread 9179 holds the lock `topic->lock`"),
    ("is connections.lock locked?", "contradicts `connections.lock.__data.__lock` is 0"),
    ("does thread 9178 hold connections.lock?", "contradicts `connections.lock.__data.__lock`"),
    ("who is waiting for topic->lock?", "There are 0 threads that wait"),
    ("which register held the address?", "The base register `r12` held 0x844c"),
    ("what was topic when it crashed?", "`topic` in `topic_publish` is"),
    ("how big is *topic?", "`sizeof(*topic)` in `topic_publish` is 88"),
    ("how many elements does log_ring.lines have?", "is of type `char [64][120]`"),
    ("what did topic_publish pass to connection_send?", 'The arguments: "#0'),
)
ASKED_OF_LLDB = (
    ("is message->length less than connections.count?", "contradicts `message->length` in"),
    ("is connections.count at most 3?", "`connections.count` is 3"),
    ("what is kiosk in main?", "knows no kiosk"),
    ("what is the address of log_ring?", "`&log_ring` is 0x"),
    ("who holds topic->lock?", "Thread 9179 holds the lock `topic->lock`"),
    ("what are the locals of topic_publish?", 'The variable: "'),
    ("is connections.lock held?", "contradicts `connections.lock.__data.__lock` is 0"),
)

# No printers of libstdc++ are read from beside what is loaded; gdb knows Rust's by itself.
OF_CPP = """
#include <memory>
#include <optional>
#include <vector>
struct Maker { int mark; };
struct Part { int size; std::unique_ptr<Maker> maker; };
struct Shop { std::vector<Part> parts; std::shared_ptr<Maker> other; std::optional<int> limit;
              std::optional<int> most; bool open; };
static int mark(const Part &part) { return part.maker->mark; }
int main() {
    Shop shop{{}, nullptr, {}, 7, true};
    shop.parts.push_back({3, std::make_unique<Maker>(Maker{5})});
    shop.parts.push_back({4, nullptr});
    return mark(shop.parts[0]) + mark(shop.parts[1]);
}
"""
OF_RUST = """
struct Part { size: u32, marks: Vec<(u32, u64)> }
struct Shop { parts: Vec<Part>, open: bool }
#[inline(never)]
fn mark(shop: &Shop, at: usize) -> u32 { shop.parts[at].size }
#[inline(never)]
fn all(shop: &Shop, wanted: &[usize]) -> u32 { mark(shop, wanted[0]) + mark(shop, wanted[1]) }
fn main() {
    let mut shop = Shop { parts: Vec::new(), open: false };
    shop.parts.push(Part { size: 3, marks: vec![] });
    shop.parts.push(Part { size: 4, marks: vec![(1, 2), (3, 4)] });
    println!("{} {}", all(&shop, &[1, 2]), shop.open);
}
"""
_OWN = {"cpp": (OF_CPP, "-O0", "-std=c++17"), "rs": (OF_RUST, "-Cpanic=abort")}
ASKED_OF_OWN = {
    "cpp": (
        ("is part.maker null?", "`part.maker` in `mark` is 0x0"),
        ("is shop.parts[0].maker null?", "contradicts `shop.parts[0].maker` is 0x"),
        ("is shop.other empty?", "`shop.other` is 0x0"),
        ("is shop.limit empty?", "shop.limit"),
        ("is shop.most empty?", "contradicts "),
        ("is shop.open true?", "`shop.open` is true"),
        ("is shop.open false?", "contradicts `shop.open` is true"),
        ("what is the length of shop.parts?", "is 2"),
        ("what is shop.parts[1].size?", "`shop.parts[1].size` is 4"),
    ),
    "rs": (
        ("what is the length of shop.parts?", "`shop.parts.len` is 2"),
        ("what is shop.parts[1].size?", "`shop.parts[1].size` in `program::mark` is 4"),
        ("is shop.parts[0].marks empty?", "`shop.parts[0].marks.len` is 0"),
        ("what is shop.parts[2].size?", "`shop.parts` has 2 elements"),
        ("what is shop.parts[1].marks[1]?", "shop.parts[1].marks[1]"),
        ("is shop.open true?", "contradicts `shop.open` in `program::mark` is false"),
        ("what is shop's open?", "`shop.open` in `program::mark` is false"),
        ("what is wanted?", "`wanted` in `program::all` is"),
    ),
}

_LACKING = re.compile(
    r"Not understood, or not in the evidence|Not answered|Not found in|A dump shows one moment|"
    r"no verdict|knows no"
)


@pytest.mark.parametrize(("debugger", "questions"), [("gdb", ASKED), ("lldb", ASKED_OF_LLDB)])
async def test_questions_to_a_core(
    debugger: str, questions: tuple[tuple[str, str], ...], tmp_path: Path
) -> None:
    sample = demo_files(tmp_path / "cache")
    options = Options(executable=str(sample.executable), debugger=debugger)
    assert not await _wrong(sample.core, options, questions, tmp_path)


@pytest.mark.parametrize("lang", ["cpp", "rs"])
async def test_questions_to_containers_of_a_library(lang: str, tmp_path: Path) -> None:
    source, *flags = _OWN[lang]
    core = crash(executable := build(source, "-g", *flags, lang=lang))
    options = Options(executable=str(executable), debugger="gdb")
    assert not await _wrong(core, options, ASKED_OF_OWN[lang], tmp_path)


async def _wrong(
    core: Path, options: Options, questions: tuple[tuple[str, str], ...], tmp_path: Path
) -> dict[str, list[str]]:
    """The questions that are answered otherwise than wanted, with what is told."""
    request = Request(
        target=str(core), options=options, base=tmp_path / "sessions", settings=Settings()
    )
    session = await open_session(request, GateMode.HEADLESS)
    wrong = {}
    try:
        await session.run()
        for question, wanted in questions:
            reply = (await session.ask_question(question)).reply
            assert reply is not None
            told = [f"contradicts {one.claim.text}" for one in reply.contradictions]
            told += [*(claim.text for claim in reply.held), *reply.unknown, *reply.notes]
            fits = any(wanted in text for text in told)
            fits = reply.verdict in ("", "open") if wanted == "no verdict" else fits
            if not fits or bool(reply.contradictions) is not wanted.startswith("contradicts "):
                wrong[question] = told
            assert all(claim.citations for claim in reply.held)
            if not (reply.understood or _LACKING.match(wanted)):
                wrong[question] = told
    finally:
        await session.close()
    return wrong


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what is s->name?", ["s->name"]),
        ("is pool[2] the same as pool[2]->next?", ["pool[2]", "pool[2]->next"]),
        ("what is *head?", ["*head"]),
        ("what is tries + argc?", ["tries + argc"]),
        ("what is wrong with tries + argc?", []),
        ("how big is ring_t?", ["sizeof(ring_t)"]),
        ("how many bytes is struct ring?", ["sizeof(struct ring)"]),
        ("how big is serve_all?", []),
        ("what does head point to?", ["head", "*head"]),
        ("what does s->head point to?", ["s->head", "*s->head"]),
        ("what was the value of the variable count?", ["count"]),
        ("print size", ["size"]),
        ("what is server.c:228?", []),
        ("what is wrong?", []),
        ("what is the cause?", []),
        ("which System.InvalidOperationException was it?", []),
        ("what is f(x).y?", []),
        ("did std::vector::at throw?", []),
        ("what is x->y = 3?", ["x->y"]),
        ("is m null?", ["m"]),
        ("is it null?", []),
        ("what is i?", ["i"]),
        ("what am i missing?", []),
        ('is layer "ui"?', ["layer"]),
        ("is mode equal to Mode::Draw?", ["mode", "Mode::Draw"]),
        ("is pool null?", ["pool"]),
        ("is the pool null?", []),
        ("is value null?", []),
        ("was *slot really 0x10?", ["*slot"]),
        ("what is n in thread 23117?", ["n"]),
        ("what is n in transfer?", ["n"]),
        ("what is the cause in thread 3?", []),
        ("what is main waiting for?", []),
        ("which thread holds table?", ["table"]),
        ("who owns the rwlock?", []),
        ("what is total?", ["total"]),
        ("what is it?", []),
        ("what was n when it crashed?", ["n"]),
        ("what was n when the process ended?", ["n"]),
        ("what is n so far?", ["n"]),
        ("what was n when the worker started?", []),
        ("what was n when the call failed?", []),
        ("is s->state LOADED?", ["s->state", "LOADED"]),
        ("is s->state loaded?", ["s->state"]),
        ("was it SIGABRT?", []),
        ("is radio held?", ["radio"]),
        ("is radio held by anybody?", ["radio"]),
        ("how large is c?", ["c", "typeof(c)", "sizeof(c)"]),
        ("how long is c?", ["c"]),
        ("who deleted c?", ["c"]),
        ("which thread freed c?", ["c"]),
        ("who freed it?", []),
        ("was c deleted?", ["c"]),
        ("who freed the block?", []),
        ("how large is memory?", []),
        ("how large is the file?", []),
        ("how large is s->at?", ["s->at", "typeof(s->at)", "sizeof(s->at)"]),
        ("how large is the block at s->at?", ["s->at"]),
        ("what is total in frame 2?", ["total"]),
        ("how many threads wait for shop?", ["shop"]),
        ("does anyone wait for the mutex shop?", ["shop"]),
        ("how many threads wait for data?", []),
        ("which threads wait for locks?", []),
        ("which threads wait for each other?", []),
    ],
)
def test_expressions_of_a_question(question: str, found: list[str]) -> None:
    assert expressions(read(question)) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what is the name of the job?", ["job->name"]),
        ("what was job's name?", ["job->name"]),
        ("what is the state field of job?", ["job->state"]),
        ("what is the address of job?", ["&job"]),
        ("what is the content of job?", ["job"]),
        ("what is the name of the thread?", []),
    ],
)
def test_a_member_is_asked_for_by_its_name_and_its_variables(
    question: str, found: list[str]
) -> None:
    assert expressions(read(question, {"job": True})) == found


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("how large is the buffer text?", []),
        ("how large is the giraffe text?", ["giraffe"]),
        ("how large is 0x7ffe of text?", ["0x7ffe"]),
    ],
)
def test_what_kind_of_thing_a_variable_is_needs_no_answer(question: str, left: list[str]) -> None:
    assert missed(read(question, {"text": True}), "`sizeof(text)` is 16") == left


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("how much stack was left?", []),
        ("what is left?", ["left"]),
        ("what is left + 1?", ["left + 1"]),
        ("what are i and left[0]?", ["i", "left[0]"]),
        ("is i 3?", ["i"]),
        ("is left[0] more than i?", ["left[0]", "i"]),
    ],
)
def test_a_variable_may_have_the_name_of_a_word(question: str, found: list[str]) -> None:
    assert expressions(read(question, {"left": True, "i": True})) == found


@pytest.mark.parametrize(
    ("question", "stands"),
    [("is c->n less than c.no?", True), ("is c->other 5?", True), ("is c no lock?", False)],
)
def test_no_member_denies_by_its_name(question: str, stands: bool) -> None:
    assert bool(list(affirmed(question))) is stands
