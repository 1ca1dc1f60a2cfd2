"""A dump with everything that reading it elsewhere needs, in one archive."""
