-- What was found when the citations of memories were checked. A document is a
-- memory file (by its id) or a memory of the registry (by its uid).

-- citecheck/internal/history -------------------------------------------------

CREATE TABLE cited_docs (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  source TEXT NOT NULL CHECK (source IN ('file', 'registry')),
  doc_key TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  confidence DOUBLE PRECISION,
  state TEXT NOT NULL DEFAULT 'unverified',
  checked_at TEXT
);
CREATE UNIQUE INDEX cited_docs_key ON cited_docs (project_id, source, doc_key);

CREATE TABLE citations (
  id INTEGER PRIMARY KEY,
  doc_id BIGINT NOT NULL REFERENCES cited_docs (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  line INTEGER NOT NULL,
  snippet TEXT NOT NULL DEFAULT '',
  oid TEXT NOT NULL DEFAULT '',
  blob_oid TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX citations_place ON citations (doc_id, path, line);
CREATE INDEX citations_path ON citations (path);

-- Append-only.
CREATE TABLE verifications (
  id INTEGER PRIMARY KEY,
  citation_id BIGINT NOT NULL REFERENCES citations (id) ON DELETE CASCADE,
  verdict TEXT NOT NULL,
  found_path TEXT,
  found_line INTEGER,
  score DOUBLE PRECISION,
  at_oid TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);
CREATE INDEX verifications_citation ON verifications (citation_id, id);

CREATE TABLE votes (
  id INTEGER PRIMARY KEY,
  doc_id BIGINT NOT NULL REFERENCES cited_docs (id) ON DELETE CASCADE,
  agent_id BIGINT REFERENCES agents (id),
  vote TEXT NOT NULL CHECK (vote IN ('confirm', 'dispute')),
  note TEXT NOT NULL DEFAULT '',
  content_hash TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX votes_doc ON votes (doc_id, id);

-- What memoryd shows beside a memory: how far its citations can be trusted.
CREATE VIEW memory_trust AS
  SELECT d.project_id, d.doc_key AS memory_uid, d.state, d.confidence, d.content_hash, d.checked_at
  FROM cited_docs d WHERE d.source = 'registry';
CREATE VIEW citation_verdicts AS
  SELECT d.project_id, d.doc_key AS memory_uid, c.path, c.line, v.verdict, v.found_path, v.found_line, v.at
  FROM cited_docs d JOIN citations c ON c.doc_id = d.id JOIN verifications v ON v.citation_id = c.id
  WHERE d.source = 'registry'
    AND v.id = (SELECT MAX(last.id) FROM verifications last WHERE last.citation_id = c.id);
