"""The workflow: phases, gates, commands and their ledger. Knows no screen."""
