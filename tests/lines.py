"""How many lines of Python the product has, room by room: ``python -m tests.lines``."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
PRODUCT = ("workbench", "analyzers")


def lines(folder: Path, *, deep: bool = True) -> int:
    """The lines of the Python files in a folder, with those below it or without."""
    return sum(
        len(path.read_text(encoding="utf-8").splitlines())
        for path in (folder.rglob("*.py") if deep else folder.glob("*.py"))
    )


def rooms() -> dict[str, int]:
    """Lines by room, the largest first; a room's folder ends in a slash."""
    found = {}
    for name in PRODUCT:
        found[f"{name}/*.py"] = lines(ROOT / name, deep=False)
        for folder in (path for path in (ROOT / name).iterdir() if path.is_dir()):
            found[f"{name}/{folder.name}/"] = lines(folder)
    return dict(sorted(((k, v) for k, v in found.items() if v), key=lambda pair: -pair[1]))


if __name__ == "__main__":
    counted = rooms()
    for room, count in counted.items():
        print(f"{count:7} {room}")
    print(f"{sum(counted.values()):7} lines of product")
