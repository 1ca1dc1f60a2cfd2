"""Which mapped files are images, and where they begin."""

import pytest

from workbench.targets.extents import Extent
from workbench.targets.modules import mapped_images


def _piece(start: int, pages: int, offset: int, executable: bool = False) -> Extent:
    size, flags = pages * 4096, 5 if executable else 4
    return Extent(start, start + size, flags, offset, size, size, "/bin/it", offset)


@pytest.mark.parametrize(
    ("pieces", "base"),
    [
        ([_piece(0x1000, 1, 0), _piece(0x2000, 1, 4096, executable=True)], 0x1000),
        # a small program whose segments share the file's first page
        ([_piece(0x1000, 1, 0), _piece(0x2000, 1, 0, executable=True), _piece(0x3000, 1, 0)],
         0x1000),
        # the same where pages may be of 64 KiB
        ([_piece(0x10000, 1, 0), _piece(0x20000, 3, 0, executable=True), _piece(0x32000, 1, 8192)],
         0x10000),
        # the whole file mapped as data below the image
        ([_piece(0x1000, 3, 0), _piece(0x4000, 1, 0), _piece(0x5000, 1, 4096, executable=True)],
         0x4000),
    ],
)  # fmt: skip
def test_an_image_begins_with_the_files_first_page(pieces: list[Extent], base: int) -> None:
    assert [image.base for image in mapped_images(pieces)] == [base]
