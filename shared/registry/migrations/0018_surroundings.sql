-- What stood around a cited line, as short marks of the lines beside it. The marks hold
-- no text (shared/textfile). They tell equal lines apart where git's history is missing.
-- '' in citations that are older than this column.

-- citecheck/internal/history -------------------------------------------------
ALTER TABLE citations ADD COLUMN surroundings TEXT NOT NULL DEFAULT '';

-- memoryd/internal/memory ----------------------------------------------------
ALTER TABLE memory_citations ADD COLUMN surroundings TEXT NOT NULL DEFAULT '';

DROP VIEW memory_sources;
CREATE VIEW memory_sources AS
  SELECT m.id AS memory_id, m.project_id, c.position, c.path, c.line, c.snippet, c.oid, c.surroundings
  FROM memories m JOIN memory_citations c ON c.memory_id = m.id
  WHERE m.archived_at IS NULL AND m.superseded_by IS NULL;
