"""A server of models that says what a test tells it to, in OpenAI's and in Ollama's words.

    with Scripted() as server:
        server.script(fails(500), says("hello"))
        ... ask server.openai or server.ollama ...
        assert server.seen[0].body["model"] == "m"

It runs in a thread of its own, so that tests with and without an event loop can use it. The last
answer of a script is given again and again.
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

CUT = object()  # among a turn's pieces: the connection is torn here


@dataclass(frozen=True)
class Seen:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: bytes


@dataclass(frozen=True)
class Turn:
    """One answer: pieces are bytes, seconds of silence, or `CUT`."""

    pieces: Sequence[Any]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


Script = Callable[[Seen], Turn]


class Scripted:
    """The server; ``openai`` and ``ollama`` are its addresses for each kind of client."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.speaking = threading.Event()  # a piece of an answer is out
        self.hung_up = threading.Event()  # a client left before its answer was complete
        self.hung_up_at = 0.0
        self.tags: list[dict[str, Any]] = [{"name": "m", "model": "m", "size": 1}]
        self.listing: Script = listing("m")
        self.shown: dict[str, Any] = {"details": {}, "model_info": {}, "capabilities": []}
        self._script: list[Script] = [says("ok")]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._port = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._writers: list[asyncio.StreamWriter] = []

    @property
    def openai(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def ollama(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def asked(self) -> list[Seen]:
        """The requests that put a question."""
        return [one for one in self.seen if _asks(one)]

    def script(self, *answers: Script) -> None:
        """What is answered next, in this order."""
        self._script = list(answers)

    def __enter__(self) -> "Scripted":
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._begin, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        assert self._server is not None
        for _ in range(5):  # one that was just accepted is begun: asyncio forgets it otherwise
            await asyncio.sleep(0)
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # Closing one that has bytes left to write waits for a reader, who may be gone: it would
        # stay open, and Python warn of it in whatever test runs when it is collected.
        for writer in self._writers:
            writer.transport.abort()
        closed = (writer.wait_closed() for writer in self._writers)
        await asyncio.gather(*closed, return_exceptions=True)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        task = self._loop.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            seen = await _read(reader)
            self.seen.append(seen)
            turn = self._next(seen)
            await self._answer(turn, seen, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _next(self, seen: Seen) -> Turn:
        if seen.method == "GET" and seen.path.endswith("/models"):
            return self.listing(seen)
        if seen.path == "/api/tags":
            return _json({"models": self.tags})
        if seen.path == "/api/show":
            if all(seen.body.get("model") != tag["model"] for tag in self.tags):
                return fails(404, "model not found")(seen)
            return _json(self.shown)
        answer = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        return answer(seen)

    async def _answer(
        self,
        turn: Turn,
        seen: Seen,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        head = {
            "content-type": turn.content_type,
            "transfer-encoding": "chunked",
            "connection": "close",
            **turn.headers,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        writer.write(f"HTTP/1.1 {turn.status} Said\r\n{lines}\r\n".encode())
        gone = asyncio.ensure_future(reader.read(1))
        try:
            for piece in turn.pieces:
                if piece is CUT:
                    writer.transport.abort()
                    return
                if isinstance(piece, bytes):
                    writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    await writer.drain()
                    if _asks(seen):
                        self.speaking.set()
                    continue
                await asyncio.wait([gone], timeout=piece)
                if gone.done():
                    self.hung_up_at = time.monotonic()
                    self.hung_up.set()
                    return
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        finally:
            gone.cancel()


def _asks(seen: Seen) -> bool:
    return seen.method == "POST" and seen.path != "/api/show"


async def _read(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {}
    for line in head[1:]:
        name, _, value = line.partition(":")
        if value:
            headers[name.lower()] = value.strip()
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Seen(method, path, headers, json.loads(raw) if raw else {}, raw)


def listing(*names: str, **more: Any) -> Script:
    """What ``/models`` lists."""
    rows = [{"id": name, **more} for name in names]
    return lambda seen: _json({"object": "list", "data": rows})


def says(
    text: str = "",
    calls: Sequence[tuple[str, str]] = (),
    *,
    finish: str | None = "stop",
    pause: float = 0.0,
    refusal: str | None = None,
    usage: tuple[int, int] = (10, 5),
    then: Sequence[Any] = (),
) -> Script:
    """Words, and calls as (name, arguments as text), in pieces where the client asks for a stream.

    ``pause`` seconds lie between two pieces; ``then`` are pieces in place of the regular end.
    """

    def turn(seen: Seen) -> Turn:
        ollama = seen.path.startswith("/api/")
        make = _ollama if ollama else _openai
        if seen.path.endswith(("/embed", "/embeddings")):
            return embeds([0.5, 0.25])(seen)
        return make(seen, text, calls, finish, pause, refusal, usage, then)

    return turn


def _openai(
    seen: Seen,
    text: str,
    calls: Sequence[tuple[str, str]],
    finish: str | None,
    pause: float,
    refusal: str | None,
    usage: tuple[int, int],
    then: Sequence[Any],
) -> Turn:
    tools = [
        {
            "index": number,
            "id": f"c{number}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for number, (name, arguments) in enumerate(calls)
    ]
    end = "tool_calls" if calls and finish == "stop" else finish
    counted = {
        "prompt_tokens": usage[0],
        "completion_tokens": usage[1],
        "total_tokens": sum(usage),
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    common = {"id": "x", "created": 0, "model": seen.body.get("model", "")}
    if not seen.body.get("stream"):
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": refusal}
        if tools:
            message["tool_calls"] = tools
        choice = {"index": 0, "message": message, "finish_reason": end}
        body = {**common, "object": "chat.completion", "choices": [choice], "usage": counted}
        return _json(body)
    deltas: list[dict[str, Any]] = [{"content": part} for part in _parts(text)]
    deltas += [{"tool_calls": [tool]} for tool in tools]
    if refusal is not None:
        deltas.append({"refusal": refusal})
    pieces: list[Any] = []
    for delta in deltas:
        chunk = {**common, "object": "chat.completion.chunk"}
        chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": None}]
        pieces += [event(chunk), pause] if pause else [event(chunk)]
    if then:
        pieces += then
    else:
        last = {"index": 0, "delta": {}, "finish_reason": end}
        pieces.append(event({**common, "choices": [last]}))
        pieces.append(event({**common, "choices": [], "usage": counted}))
        pieces.append(b"data: [DONE]\n\n")
    return Turn(pieces, content_type="text/event-stream")


def _ollama(
    seen: Seen,
    text: str,
    calls: Sequence[tuple[str, str]],
    finish: str | None,
    pause: float,
    refusal: str | None,
    usage: tuple[int, int],
    then: Sequence[Any],
) -> Turn:
    common = {"model": seen.body.get("model", ""), "created_at": "2025-01-01T00:00:00Z"}
    tools = [
        {"function": {"name": name, "arguments": json.loads(arguments)}}
        for name, arguments in calls
    ]
    done = {
        "done": True,
        "done_reason": finish,
        "prompt_eval_count": usage[0],
        "eval_count": usage[1],
    }
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if tools:
        message["tool_calls"] = tools
    if seen.body.get("stream") is False:
        return _json({**common, "message": message, **done})
    pieces: list[Any] = []
    for part in _parts(text):
        said = {"role": "assistant", "content": part}
        line = json.dumps({**common, "message": said, "done": False}).encode() + b"\n"
        pieces += [line, pause] if pause else [line]
    if tools:
        said = {"role": "assistant", "content": "", "tool_calls": tools}
        pieces.append(json.dumps({**common, "message": said, "done": False}).encode() + b"\n")
    if then:
        pieces += then
    else:
        empty = {"role": "assistant", "content": ""}
        pieces.append(json.dumps({**common, "message": empty, **done}).encode() + b"\n")
    return Turn(pieces, content_type="application/x-ndjson")


def _parts(text: str) -> list[str]:
    """Pieces of a few characters, but never very many."""
    size = max(7, len(text) // 50)
    return [text[at : at + size] for at in range(0, len(text), size)]


def event(data: object) -> bytes:
    """A server-sent event; a string goes out as it is."""
    text = data if isinstance(data, str) else json.dumps(data)
    return f"data: {text}\n\n".encode()


def fails(
    status: int,
    message: str = "no",
    *,
    headers: dict[str, str] | None = None,
    code: str | None = None,
    param: str | None = None,
) -> Script:
    """An error as OpenAI's and Ollama's servers say it."""

    def turn(seen: Seen) -> Turn:
        said: object = {"message": message, "type": "error", "code": code, "param": param}
        if seen.path.startswith("/api/"):
            said = message
        return Turn([json.dumps({"error": said}).encode()], status, headers or {})

    return turn


def sends(*pieces: Any, status: int = 200, content_type: str = "text/event-stream") -> Script:
    """These pieces, whatever was asked."""
    return lambda seen: Turn(pieces, status, {}, content_type)


def embeds(*vectors: Sequence[float]) -> Script:
    """These vectors."""

    def turn(seen: Seen) -> Turn:
        if seen.path.startswith("/api/"):
            return _json({"model": "m", "embeddings": [list(v) for v in vectors]})
        data = [
            {"object": "embedding", "index": number, "embedding": list(vector)}
            for number, vector in enumerate(vectors)
        ]
        return _json({"object": "list", "model": "m", "data": data})

    return turn


def unless(allowed: Callable[[dict[str, Any]], bool], refusal: Script, answer: Script) -> Script:
    """The answer where the request's body is allowed, the refusal elsewhere."""
    return lambda seen: (answer if allowed(seen.body) else refusal)(seen)


def _json(body: object) -> Turn:
    return Turn([json.dumps(body).encode()])
