-- What agents know: memories with their tags, history and citations. The text
-- index beside them is SQLite's own (sqlite/0004_memory.sql).

-- memoryd/internal/memory ----------------------------------------------------

-- `thread` names what a memory was noted in (a session's ref, or a label of the
-- caller's): memories of one thread, in the order they came, are each other's
-- context. `indexed` is the version of the text analysis that put the row into
-- the text index, NULL for one that is not in it yet, such as a merged row.
CREATE TABLE memories (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  type TEXT NOT NULL CHECK (type IN ('pattern', 'decision', 'architecture', 'preference', 'warning')),
  key TEXT NOT NULL,
  key_key TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  content TEXT NOT NULL,
  summary TEXT NOT NULL DEFAULT '',
  context TEXT NOT NULL DEFAULT '',
  thread TEXT NOT NULL DEFAULT '',
  content_hash TEXT NOT NULL,
  importance INTEGER NOT NULL DEFAULT 2 CHECK (importance BETWEEN 1 AND 5),
  confidence DOUBLE PRECISION NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
  version INTEGER NOT NULL DEFAULT 1,
  used_at TEXT NOT NULL,
  used_count BIGINT NOT NULL DEFAULT 0,
  expires_at TEXT,
  superseded_by BIGINT REFERENCES memories (id),
  archived_at TEXT,
  archived_why TEXT NOT NULL DEFAULT '',
  source_session BIGINT REFERENCES sessions (id),
  source_agent BIGINT REFERENCES agents (id),
  redactions INTEGER NOT NULL DEFAULT 0,
  indexed INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX memories_key ON memories (project_id, type, key_key) WHERE archived_at IS NULL AND superseded_by IS NULL;
CREATE INDEX memories_named ON memories (key_key, project_id);
CREATE INDEX memories_project ON memories (project_id, id);
CREATE INDEX memories_important ON memories (project_id, importance DESC, updated_at DESC, id DESC) WHERE archived_at IS NULL AND superseded_by IS NULL;
CREATE INDEX memories_hidden ON memories (project_id, archived_at) WHERE archived_at IS NOT NULL;
CREATE INDEX memories_thread ON memories (project_id, thread, id) WHERE thread <> '';
CREATE INDEX memories_session ON memories (source_session) WHERE source_session IS NOT NULL;
CREATE INDEX memories_superseded ON memories (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_hash ON memories (project_id, content_hash);
CREATE INDEX memories_unindexed ON memories (indexed);

-- What near duplicates are recognised by: texts that share most of their words
-- share a sketch.
CREATE TABLE memory_sketches (
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  sketch TEXT NOT NULL,
  PRIMARY KEY (memory_id, sketch)
);
CREATE INDEX memory_sketches_by ON memory_sketches (sketch, memory_id);

CREATE TABLE memory_tags (
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (memory_id, tag)
);
CREATE INDEX memory_tags_by ON memory_tags (tag, memory_id);

-- What a memory is about, as it was named; item_id is NULL for a ticket that the
-- registry does not have (yet).
CREATE TABLE memory_items (
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  ref TEXT NOT NULL,
  ref_key TEXT NOT NULL,
  item_id BIGINT REFERENCES items (id),
  PRIMARY KEY (memory_id, ref_key)
);
CREATE INDEX memory_items_by ON memory_items (ref_key, memory_id);

-- What a memory said before: version is the one it was then.
CREATE TABLE memory_history (
  id INTEGER PRIMARY KEY,
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  summary TEXT NOT NULL DEFAULT '',
  importance INTEGER NOT NULL,
  confidence DOUBLE PRECISION NOT NULL,
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
