"""``python -m workbench`` is ``workbench``."""

from workbench.cli import main

main()
