"""Statements: the only way in which anything is claimed. A claim is data, code checks it, and code
writes its English."""
