"""The roles: state in, events out, through the ports that the engine gives them."""
