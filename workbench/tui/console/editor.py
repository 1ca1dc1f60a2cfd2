"""The console's line editor: a half-typed line, its cursor and the history. No screen, no I/O."""


def shared_start(first: str, last: str) -> str:
    """What two texts begin with alike."""
    for index, (left, right) in enumerate(zip(first, last, strict=False)):
        if left != right:
            return first[:index]
    return min(first, last, key=len)


class LineEditor:
    """Emacs-like editing of one line. ``text`` holds line ends (LF) only where several lines were
    pasted; they are submitted one by one."""

    def __init__(self, history_limit: int = 1000) -> None:
        self.text = ""
        self.cursor = 0
        self.history: list[str] = []
        self._limit = history_limit
        self._at: int | None = None
        self._draft = ""
        self._killed = ""
        self._offered = ""

    def insert(self, text: str) -> None:
        """Put text in at the cursor, or in place of a line that was only offered; line ends stay,
        tabs become spaces."""
        if self._offered and (self.text, self.cursor) == (self._offered, len(self._offered)):
            self.text, self.cursor = "", 0
        self._offered = ""
        clean = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
        clean = "".join(ch for ch in clean if ch.isprintable() or ch == "\n")
        self.text = self.text[: self.cursor] + clean + self.text[self.cursor :]
        self.cursor += len(clean)

    def backspace(self) -> None:
        if self.cursor:
            self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
            self.cursor -= 1

    def delete(self) -> None:
        self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]

    def move(self, count: int) -> None:
        self.cursor = max(0, min(len(self.text), self.cursor + count))

    def move_word(self, direction: int) -> None:
        if direction < 0:
            self.cursor = self._word_start()
            return
        at = self.cursor
        while at < len(self.text) and not self.text[at].isalnum():
            at += 1
        while at < len(self.text) and self.text[at].isalnum():
            at += 1
        self.cursor = at

    def home(self) -> None:
        self.cursor = 0

    def end(self) -> None:
        self.cursor = len(self.text)

    def kill_to_end(self) -> None:
        self._killed, self.text = self.text[self.cursor :], self.text[: self.cursor]

    def kill_to_start(self) -> None:
        self._killed, self.text = self.text[: self.cursor], self.text[self.cursor :]
        self.cursor = 0

    def kill_word(self) -> None:
        """Cut the word before the cursor, back to white space."""
        at = self.cursor
        while at and self.text[at - 1].isspace():
            at -= 1
        while at and not self.text[at - 1].isspace():
            at -= 1
        self._killed = self.text[at : self.cursor]
        self.text = self.text[:at] + self.text[self.cursor :]
        self.cursor = at

    def yank(self) -> None:
        self.insert(self._killed)

    def clear(self) -> None:
        self.text, self.cursor, self._at = "", 0, None

    def submit(self) -> list[str]:
        """Take the line, or the pasted lines, remember each, start a new one."""
        lines = self.text.split("\n")
        for line in lines:
            if line.strip() and self.history[-1:] != [line]:
                self.history.append(line)
        del self.history[: -self._limit]
        self.clear()
        return lines

    def put_back(self, line: str) -> None:
        """A submitted line was not taken: it is typed again, before what was typed since."""
        self.text = line + self.text
        self.cursor += len(line)

    def offer(self, line: str) -> None:
        """A line that Enter would submit: it is typed, and what is typed next takes its place."""
        self.text = self._offered = line
        self.cursor = len(line)

    def older(self) -> None:
        """The line before in the history; the half-typed one is kept."""
        if not self.history or self._at == 0:
            return
        if self._at is None:
            self._draft, self._at = self.text, len(self.history)
        self._at -= 1
        self._show(self.history[self._at])

    def newer(self) -> None:
        """The next line in the history, in the end the half-typed one."""
        if self._at is None:
            return
        self._at += 1
        if self._at == len(self.history):
            self._at = None
            self._show(self._draft)
        else:
            self._show(self.history[self._at])

    def take_completions(self, whole: list[str]) -> list[str]:
        """Complete to what all candidates share. Returns the candidates that are left to choose
        from, empty when the line is decided. What follows the cursor stays."""
        before = self.text[: self.cursor]
        fitting = sorted({line for line in whole if line.startswith(before)})
        if not fitting:
            return []
        shared = shared_start(fitting[0], fitting[-1])
        tail = self.text[self.cursor :]
        if len(fitting) == 1:
            shared += "" if tail.startswith(" ") else " "
        self.text, self.cursor = shared + tail, len(shared)
        return [] if len(fitting) == 1 or shared != before else fitting

    def _show(self, text: str) -> None:
        self.text, self.cursor = text, len(text)

    def _word_start(self) -> int:
        at = self.cursor
        while at and not self.text[at - 1].isalnum():
            at -= 1
        while at and self.text[at - 1].isalnum():
            at -= 1
        return at
