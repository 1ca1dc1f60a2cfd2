"""One long-lived debugger behind one protocol: the pty, the prompt marks, the command policy."""
