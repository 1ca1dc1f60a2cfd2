"""What dynamic loaders say when a program cannot be put together."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.model.category import Category as C


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("./till: error while loading shared libraries: libdrawer.so.3: cannot open shared object "
         "file: No such file or directory\n", C.LIBRARY_LOAD_FAILURE),
        ("./till: symbol lookup error: ./libdrawer.so: undefined symbol: drawer_open_v2\n",
         C.MISSING_METHOD),
        ("dyld[41]: Symbol not found: _drawer_open\n  Expected in: /opt/libdrawer.dylib\n",
         C.MISSING_METHOD),
        ("./till: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./till)\n",
         C.VERSION_MISMATCH),
        ("./till: relocation error: ./till: symbol drawer_run version DRAWER_1.2 not defined in "
         "file libdrawer.so.1 with link time reference\n", C.VERSION_MISMATCH),
    ],
)  # fmt: skip
def test_a_loader_names_what_is_missing(text: str, category: C, tmp_path: Path) -> None:
    assert read_text(tmp_path, text).category is category
