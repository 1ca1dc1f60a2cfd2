"""What takes long: ``python -m tests.soak [--seed N] [--kills N] [--cores N] [--disks N]``."""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.claims.test_swaps import exchange
from tests.samples.case import CASES, how
from tests.soak.damage import damage_and_ask, damage_and_triage
from tests.soak.faults import damage_sessions, fill_and_triage, use_read_only
from tests.soak.flood import flood_console
from tests.soak.kills import kill_and_resume, kill_screens


def main() -> None:
    """Run everything with one seed, which is printed so that a failure can be repeated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--cores", type=int, default=300)
    parser.add_argument("--disks", type=int, default=60)
    parser.add_argument("--megabytes", type=int, default=1000)
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="workbench-soak-") as name:
        scratch = Path(name)
        ended = kill_and_resume(options.seed, options.kills, scratch / "kills")
        print(f"{options.kills} kills, {ended} sessions taken to their end, {_since(begun)}")
        shown = kill_screens(options.seed, options.kills, scratch / "screens")
        print(f"{options.kills} of the screen, {shown} shown and kept, {_since(begun)}")
        seen = damage_and_triage(options.seed, options.cores, scratch / "damage")
        told = ", ".join(f"{count} ended with {status}" for status, count in sorted(seen.items()))
        print(f"{options.cores} damaged cores: {told}, {_since(begun)}")
        opened = damage_and_ask(options.seed, options.cores, scratch)
        print(f"{options.cores} more: {opened} opened and answered every probe, {_since(begun)}")
        full = fill_and_triage(options.seed, options.disks, scratch / "disks")
        told = ", ".join(f"{count} ended with {status}" for status, count in sorted(full.items()))
        print(f"{options.disks} disks too small: {told}, {_since(begun)}")
        use_read_only(scratch / "fixed")
        broken = damage_sessions(options.seed, options.disks, scratch / "sessions")
        told = ", ".join(f"{count} ended with {status}" for status, count in sorted(broken.items()))
        print(f"{options.disks} damaged sessions: {told}, {_since(begun)}")
        mine = [case for case in CASES if not how(case).machine]
        for case in mine:
            exchange([case])
        print(f"{len(mine)} samples: no statement holds exchanged, {_since(begun)}")
        seconds, peak = flood_console(options.megabytes, scratch / "flood")
        print(f"{options.megabytes} MB through the console in {seconds:.0f} s, peak {peak} MB")


def _since(begun: float) -> str:
    return f"{time.monotonic() - begun:.0f} s"


if __name__ == "__main__":
    main()
