-- The text index over memories, written by memoryd/internal/memory alone: what
-- stands here follows from the memories and is made again whenever it is missing
-- (memories.indexed). Rows have the id of their memory.

-- Texts arrive as terms (shared/text/words), so that the tokenizer only splits at
-- spaces. `scope` holds what filters ask for: project, type, importance, tags.
CREATE VIRTUAL TABLE memory_index USING fts5 (
  name, content, scope,
  content = '', contentless_delete = 1, tokenize = 'ascii'
);
INSERT INTO memory_index (memory_index, rank) VALUES ('rank', 'bm25(1.5, 1.0, 0.0)');
CREATE VIRTUAL TABLE memory_vocabulary USING fts5vocab ('memory_index', 'row');

-- The terms of each memory as numbers, for scoring the best against each other.
CREATE TABLE memory_terms (
  memory_id INTEGER PRIMARY KEY,
  length REAL NOT NULL,
  terms BLOB NOT NULL
);

-- Every word seen, under itself and under what is left when one letter is taken
-- away: words that share such a rest are two typing mistakes apart at most.
CREATE TABLE memory_words (
  rest TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (rest, word)
) WITHOUT ROWID;
