"""Ollama's protocol in front of the real model: ollama-proxy-plus, in a process of its own.

python -m tests.llm.ollama_proxy URL    serves until its standard input ends, prints its address
"""

import os
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.llm.llama import MODEL, Llama, serving

PREFIX = "llama"  # names the server behind it: PROVIDERS_LLAMA_BASE_URL


@dataclass(frozen=True)
class OllamaProxy:
    """``url`` is what ``OLLAMA_HOST`` would be."""

    url: str
    model: str = f"{PREFIX}/{MODEL}"


@pytest.fixture(scope="session")
def ollama_proxy(llama: Llama) -> Iterator[OllamaProxy]:
    """The proxy, for as long as the session lasts."""
    with serving("tests.llm.ollama_proxy", llama.url) as address:
        yield OllamaProxy(address)


def main() -> None:
    os.environ["PROVIDERS_LLAMA_BASE_URL"] = sys.argv[1]
    os.environ["EXTRA_MODELS"] = f"{PREFIX}/{MODEL}"
    import uvicorn
    from ollama_proxy import server

    listening = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(server.app, log_level="error"))

    def until_the_end() -> None:
        sys.stdin.read()
        running.should_exit = True

    threading.Thread(target=until_the_end, daemon=True).start()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    running.run(sockets=[listening])


if __name__ == "__main__":
    main()
