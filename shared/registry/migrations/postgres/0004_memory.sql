-- The text index over memories, as sqlite/0004_memory.sql has it in FTS5: what stands here
-- follows from the memories and is made again whenever it is missing (memories.indexed).

-- memoryd/internal/memory ----------------------------------------------------

-- `length` counts the terms and the words of scope of a memory.
CREATE TABLE memory_index (
  memory_id BIGINT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  length INTEGER NOT NULL
);

-- One row for each term of a memory; an occurrence in the name weighs 1.5.
CREATE TABLE memory_postings (
  term TEXT NOT NULL,
  memory_id BIGINT NOT NULL REFERENCES memory_index (memory_id) ON DELETE CASCADE,
  weight DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (term, memory_id)
);
CREATE INDEX memory_postings_memory ON memory_postings (memory_id);

-- What filters ask for: project, type, importance, tags, items.
CREATE TABLE memory_scopes (
  word TEXT NOT NULL,
  memory_id BIGINT NOT NULL REFERENCES memory_index (memory_id) ON DELETE CASCADE,
  PRIMARY KEY (word, memory_id)
);
CREATE INDEX memory_scopes_memory ON memory_scopes (memory_id, word);

-- The terms of each memory as numbers, for scoring the best against each other.
CREATE TABLE memory_terms (
  memory_id BIGINT PRIMARY KEY,
  length DOUBLE PRECISION NOT NULL,
  terms BYTEA NOT NULL
);

-- Every word seen, under itself and under what is left when one letter is taken away.
CREATE TABLE memory_words (
  rest TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (rest, word)
);
