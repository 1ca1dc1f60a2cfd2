"""Units of amounts in a person's question, and of those that lines measure."""

UNITS = {
    "b": ("bytes", 1), "byte": ("bytes", 1), "bytes": ("bytes", 1),
    "k": ("bytes", 1 << 10), "kb": ("bytes", 1 << 10), "kib": ("bytes", 1 << 10),
    "kilobyte": ("bytes", 1 << 10), "kilobytes": ("bytes", 1 << 10), "kbytes": ("bytes", 1 << 10),
    "m": ("bytes", 1 << 20), "mb": ("bytes", 1 << 20), "mib": ("bytes", 1 << 20),
    "megabyte": ("bytes", 1 << 20), "megabytes": ("bytes", 1 << 20),
    "g": ("bytes", 1 << 30), "gb": ("bytes", 1 << 30), "gib": ("bytes", 1 << 30),
    "gigabyte": ("bytes", 1 << 30), "gigabytes": ("bytes", 1 << 30),
    "bit": ("bits", 1), "bits": ("bits", 1),
    "ns": ("seconds", 1), "us": ("seconds", 10**3), "µs": ("seconds", 10**3),
    "ms": ("seconds", 10**6), "milliseconds": ("seconds", 10**6),
    "s": ("seconds", 10**9), "sec": ("seconds", 10**9), "second": ("seconds", 10**9),
    "seconds": ("seconds", 10**9), "minute": ("seconds", 60 * 10**9),
    "minutes": ("seconds", 60 * 10**9), "hour": ("seconds", 3600 * 10**9),
    "hours": ("seconds", 3600 * 10**9), "day": ("seconds", 86400 * 10**9),
    "days": ("seconds", 86400 * 10**9),
    "%": ("percent", 1), "percent": ("percent", 1),
}  # fmt: skip
"""What a unit measures, and how much of the smallest one it is."""
