"""The roles with a model: they add to what the experts found and are held to the evidence. Nothing
in a run without a model imports this."""
