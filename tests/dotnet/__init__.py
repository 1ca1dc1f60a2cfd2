"""Real cores of .NET processes, read with the SOS of their runtime."""
