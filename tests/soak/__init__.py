"""What takes long: a shorter form of it in `make test`, all of it in `make soak`, which sets
``WORKBENCH_SOAK`` and runs the tests that are marked ``soak`` at full length."""

import os

SOAK = "WORKBENCH_SOAK" in os.environ
"""Whether this is the long form."""
