-- The text index over memories, one row a memory with the same rowid; written
-- by memoryd/internal/memory alone.
CREATE VIRTUAL TABLE memory_index USING fts5 (
  title, content, context,
  content = '', contentless_delete = 1,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
