-- What agents know: memories with their tags, history and citations. The text
-- index beside them is SQLite's own (sqlite/0004_memory.sql).

-- memoryd/internal/memory ----------------------------------------------------

CREATE TABLE memories (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  type TEXT NOT NULL,
  key TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  content TEXT NOT NULL,
  summary TEXT,
  content_hash TEXT NOT NULL,
  simhash TEXT NOT NULL DEFAULT '',
  importance INTEGER NOT NULL DEFAULT 1 CHECK (importance BETWEEN 1 AND 5),
  confidence DOUBLE PRECISION NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
  used_at TEXT NOT NULL,
  used_count INTEGER NOT NULL DEFAULT 0,
  expires_at TEXT,
  superseded_by BIGINT REFERENCES memories (id),
  archived_at TEXT,
  archived_why TEXT,
  source_session BIGINT REFERENCES sessions (id),
  source_agent BIGINT REFERENCES agents (id),
  redactions INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX memories_key ON memories (project_id, type, key) WHERE archived_at IS NULL AND superseded_by IS NULL;
CREATE INDEX memories_hash ON memories (project_id, content_hash);

CREATE TABLE memory_tags (
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (memory_id, tag)
);
CREATE INDEX memory_tags_by ON memory_tags (tag, memory_id);

CREATE TABLE memory_items (
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  item_id BIGINT NOT NULL REFERENCES items (id),
  PRIMARY KEY (memory_id, item_id)
);
CREATE INDEX memory_items_by ON memory_items (item_id, memory_id);

CREATE TABLE memory_history (
  id INTEGER PRIMARY KEY,
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  changed_by BIGINT REFERENCES agents (id),
  why TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX memory_history_version ON memory_history (memory_id, version);

-- A place in the code that a memory rests on, as it was when it was stored.
CREATE TABLE memory_citations (
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  line INTEGER NOT NULL DEFAULT 0,
  snippet TEXT NOT NULL DEFAULT '',
  oid TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (memory_id, position)
);

-- What citecheck reads of the memories that stand.
CREATE VIEW memory_texts AS
  SELECT id, uid, ref, project_id, type, key, title, content, content_hash, importance, confidence, updated_at
  FROM memories WHERE archived_at IS NULL AND superseded_by IS NULL;
CREATE VIEW memory_sources AS
  SELECT m.id AS memory_id, m.project_id, c.position, c.path, c.line, c.snippet, c.oid
  FROM memories m JOIN memory_citations c ON c.memory_id = m.id
  WHERE m.archived_at IS NULL AND m.superseded_by IS NULL;
