"""The probes that describe a dump as a whole: @health, @notes, @mappings, @modules.

Each is text of one fact a line; ``analyzers/dump/`` reads it back by the shapes of the lines.
"""
