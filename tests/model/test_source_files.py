import pytest

from workbench.model.listing import is_source


@pytest.mark.parametrize("path", ["a.c", "../io/table.C", "/srv/app/src/x.cpp", "lib.rs", "m.S"])
def test_source_is_quoted(path: str) -> None:
    assert is_source(path)


@pytest.mark.parametrize(
    "path",
    [None, "", "/etc/shadow", "/root/.ssh/id_rsa", "/proc/self/environ.c", "/home/u/.aws/x.c",
     "secrets", "token.txt", "/dev/zero", "core", "a.c/../../etc/passwd", ".env",
     "/home/u/.netrc.c"],
)  # fmt: skip
def test_other_files_are_not(path: str | None) -> None:
    assert not is_source(path)
