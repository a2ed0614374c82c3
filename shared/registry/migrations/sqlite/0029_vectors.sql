-- Vectors of a project's memories, many to a row, since a question is compared with all
-- of them: ids has twelve bytes for each, its id and the length of its vector, and
-- vectors a byte a number, in the same order. stamp is another number after each write.
CREATE TABLE memory_vectors (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  kept INTEGER NOT NULL,
  stamp BIGINT NOT NULL,
  ids BLOB NOT NULL,
  vectors BLOB NOT NULL
);
CREATE INDEX memory_vectors_project ON memory_vectors (project_id, kept);
