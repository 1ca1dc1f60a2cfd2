"""The console without widgets: stream filter, terminal, line editor."""
