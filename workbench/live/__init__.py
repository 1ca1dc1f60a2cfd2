"""Running processes: their memory and registers as a core, taken without a debugger."""
