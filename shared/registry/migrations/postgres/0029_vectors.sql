-- Vectors of a project's memories, many to a row, as sqlite/0029_vectors.sql describes them.

-- memoryd/internal/memory -----------------------------------------------------
CREATE TABLE memory_vectors (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  kept INTEGER NOT NULL,
  stamp BIGINT NOT NULL,
  ids BYTEA NOT NULL,
  vectors BYTEA NOT NULL
);
CREATE INDEX memory_vectors_project ON memory_vectors (project_id, kept);
