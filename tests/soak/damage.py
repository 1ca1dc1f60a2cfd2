"""Damage the sample's core at random and look that a triage still ends in order."""

import json
import random
import time
from pathlib import Path

from analyzers.base import Document
from analyzers.registry import analyze
from tests.forking import workbench
from workbench.model.target import Options
from workbench.samples import demo_files
from workbench.targets.errors import TargetError
from workbench.targets.identify import identify
from workbench.targets.probes import PROBES
from workbench.targets.reader import open_reader

HEADERS = 4096  # ELF header, program headers and the first notes
STATUSES = (0, 1, 2, 3)


def damage_and_triage(seed: int, rounds: int, scratch: Path) -> dict[int, int]:
    """How often each exit status came. Raises `AssertionError` on any other end, on a traceback,
    on an error of more than one line, on broken JSON; `subprocess.TimeoutExpired` on a hang."""
    chance = random.Random(seed)
    sample = demo_files(scratch)
    whole = sample.core.read_bytes()
    seen: dict[int, int] = {}
    for turn in range(rounds):
        data, how = damaged(whole, chance)
        core = scratch / f"core-{turn}"
        core.write_bytes(data)
        options = ("--format", "json", "--sessions-dir", scratch / "sessions")
        done = workbench("triage", core, "--exe", sample.executable, *options)
        told = f"seed {seed} turn {turn}: {how}\n{done.stderr[-2000:]}"
        assert done.returncode in STATUSES, f"{done.returncode}, {told}"
        assert "Traceback" not in done.stderr, told
        if done.returncode == 2:
            assert done.stdout == "", told
            assert len(done.stderr.splitlines()) == 1, told
        else:
            json.loads(done.stdout)
        seen[done.returncode] = seen.get(done.returncode, 0) + 1
        core.unlink()
    return seen


def damage_and_ask(seed: int, rounds: int, scratch: Path) -> int:
    """How many damaged cores opened; each then answers every probe within seconds. Raises
    `AssertionError`."""
    chance = random.Random(seed)
    sample = demo_files(scratch)
    whole = sample.core.read_bytes()
    core, opened = scratch / "core", 0
    for turn in range(rounds):
        data, how = damaged(whole, chance)
        core.write_bytes(data)
        started, refused = time.process_time(), ""
        try:
            target = identify(core, sample.executable)
            reader = open_reader(target, Options(executable=str(sample.executable)))
        except TargetError as error:
            refused = str(error)
        if refused:
            assert refused.isprintable(), how
            continue
        opened += 1
        for probe in PROBES:
            text = reader.answer(probe)
            assert all(line.isprintable() for line in text.split("\n")), how
            list(analyze(Document("E1", probe, "dump", text)).facts)
        reader.close()
        assert time.process_time() - started < 20, f"seed {seed} turn {turn}: {how}"
    return opened


def damaged(whole: bytes, chance: random.Random) -> tuple[bytes, str]:
    """The bytes with one kind of damage, and what was done."""
    data = bytearray(whole)
    match chance.randrange(5):
        case 0:
            keep = chance.randrange(len(data))
            return bytes(data[:keep]), f"cut to {keep} bytes"
        case 1:
            places = [chance.randrange(HEADERS) for _ in range(chance.randrange(1, 20))]
            how = "flipped bytes of the headers"
        case 2:
            places = [chance.randrange(len(data)) for _ in range(2000)]
            how = "flipped bytes anywhere"
        case 3:
            start = chance.randrange(len(data))
            data[start : start + 65536] = bytes(min(65536, len(data) - start))
            return bytes(data), f"zeroed 64 KiB at {start}"
        case _:
            start = chance.randrange(0, HEADERS, 8)
            data[start : start + 8] = b"\xff" * 8
            return bytes(data), f"a huge number at {start} of the headers"
    for place in places:
        data[place] = chance.randrange(256)
    return bytes(data), f"{how}: {places[:20]}"
