"""The layout of ``evidence.db``."""

DATABASE = "evidence.db"
VERSION = 1
"""Of the tables, as the database keeps it (``PRAGMA user_version``)."""

TABLES = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    mac BLOB -- see `vouching`
);
CREATE TABLE evidence (
    id TEXT PRIMARY KEY,
    session_id TEXT,
    command TEXT,
    file_path TEXT,
    size INTEGER,
    summary TEXT,
    key_findings TEXT,
    embedding BLOB,
    metadata TEXT,
    timestamp TEXT,
    content BLOB
);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    evidence_id TEXT REFERENCES evidence,
    chunk_num INTEGER,
    first_line INTEGER,
    last_line INTEGER,
    analysis TEXT
);
"""
