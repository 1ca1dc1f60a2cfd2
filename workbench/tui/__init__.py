"""The full-screen workbench: renders the folded state and posts intents; decides nothing."""

import os

# Textual paints on a grid of this many ticks a second and reads the number when it is imported:
# on its own grid of 60 a key that follows some output waits up to 17 ms for its tick.
os.environ.setdefault("TEXTUAL_FPS", "120")
