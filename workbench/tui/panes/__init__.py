"""The four live panes and the small widgets they are made of."""
