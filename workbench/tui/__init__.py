"""The full-screen workbench: renders the folded state and posts intents; decides nothing."""
