"""Front ends: each command, and what it asks of the rooms below."""
