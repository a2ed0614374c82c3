-- What a server needs beside the tables: write_locks is made before the first migration,
-- with one row for the registry (0) and one for each project that was written to.

-- shared/registry ------------------------------------------------------------

-- The last transactions, each by a mark of its own: a client whose answer to COMMIT was
-- lost finds out by it what became of its transaction.
CREATE TABLE write_marks (
  mark TEXT PRIMARY KEY,
  at TEXT NOT NULL
);
CREATE INDEX write_marks_at ON write_marks (at);

-- Processes that are there, each renewed on the server's clock while it lives.
CREATE TABLE presences (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  renewed_at TEXT NOT NULL
);
