"""The console without widgets: spool, stream filter, terminal, line editor."""
