"""Models: which one answers, what it is asked and told, what that costs. Never evidence."""
