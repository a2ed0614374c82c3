-- What stood around a cited line, in short marks of its neighbours that hold nothing
-- of what they say (shared/textfile): where the history of the code is not at hand
-- they tell equal lines apart. '' for what was cited before there were any.

-- citecheck/internal/history -------------------------------------------------
ALTER TABLE citations ADD COLUMN surroundings TEXT NOT NULL DEFAULT '';

-- memoryd/internal/memory ----------------------------------------------------
ALTER TABLE memory_citations ADD COLUMN surroundings TEXT NOT NULL DEFAULT '';

DROP VIEW memory_sources;
CREATE VIEW memory_sources AS
  SELECT m.id AS memory_id, m.project_id, c.position, c.path, c.line, c.snippet, c.oid, c.surroundings
  FROM memories m JOIN memory_citations c ON c.memory_id = m.id
  WHERE m.archived_at IS NULL AND m.superseded_by IS NULL;
