-- What agents do: their sessions with the events, files and commits of each,
-- and the record every agent builds up over them.

-- shared/work ----------------------------------------------------------------

-- Work that a person holds back, beside what bugs block. It counts in
-- items.holds like a blocker.
CREATE TABLE item_holds (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  agent_id BIGINT REFERENCES agents (id),
  why TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);

-- memoryd/internal/session ---------------------------------------------------

-- One session is active in a project and lane at a time; a lane is an agent or,
-- where none is named, a worktree.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  agent_id BIGINT REFERENCES agents (id),
  lane TEXT NOT NULL,
  item_id BIGINT REFERENCES items (id),
  parent_id BIGINT REFERENCES sessions (id),
  status TEXT NOT NULL CHECK (status IN ('active', 'completed', 'abandoned', 'interrupted')),
  outcome TEXT,
  outcome_notes TEXT,
  summary TEXT,
  start_oid TEXT,
  end_oid TEXT,
  started_at TEXT NOT NULL,
  last_event_at TEXT NOT NULL,
  ended_at TEXT
);
CREATE UNIQUE INDEX sessions_one_active ON sessions (project_id, lane) WHERE status = 'active';
CREATE INDEX sessions_recent ON sessions (project_id, started_at DESC, id DESC);
CREATE INDEX sessions_lane ON sessions (project_id, lane, started_at DESC, id DESC);
CREATE INDEX sessions_open ON sessions (last_event_at) WHERE status = 'active';

CREATE TABLE session_files (
  session_id BIGINT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'commit')),
  value TEXT NOT NULL,
  PRIMARY KEY (session_id, kind, value)
);

CREATE TABLE session_events (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  session_id BIGINT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  importance INTEGER NOT NULL DEFAULT 1 CHECK (importance BETWEEN 1 AND 3),
  content TEXT NOT NULL,
  context TEXT,
  created_at TEXT NOT NULL,
  compacted_at TEXT
);
CREATE INDEX session_events_session ON session_events (session_id, id);

-- memoryd/internal/record ----------------------------------------------------

CREATE TABLE agent_scores (
  agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
  sp BIGINT NOT NULL,
  xp DOUBLE PRECISION NOT NULL,
  cs BIGINT NOT NULL,
  commits BIGINT NOT NULL,
  bugs BIGINT NOT NULL,
  halted INTEGER NOT NULL DEFAULT 0,
  updated_at TEXT NOT NULL
);

CREATE TABLE score_events (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  kind TEXT NOT NULL,
  d_sp BIGINT NOT NULL DEFAULT 0,
  d_xp DOUBLE PRECISION NOT NULL DEFAULT 0,
  d_cs BIGINT NOT NULL DEFAULT 0,
  note TEXT,
  at TEXT NOT NULL
);
CREATE INDEX score_events_agent ON score_events (agent_id, id);

CREATE TABLE commits (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  agent_id BIGINT REFERENCES agents (id),
  session_id BIGINT REFERENCES sessions (id),
  scope TEXT NOT NULL DEFAULT '',
  oid TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);
CREATE UNIQUE INDEX commits_oid ON commits (project_id, oid);

CREATE TABLE grades (
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  project_id BIGINT NOT NULL REFERENCES projects (id),
  oid TEXT NOT NULL,
  agent_grade INTEGER NOT NULL CHECK (agent_grade IN (-1, 1, 2, 5)),
  user_grade INTEGER NOT NULL CHECK (user_grade IN (-1, 1, 2, 5)),
  at TEXT NOT NULL,
  PRIMARY KEY (agent_id, project_id, oid)
);

CREATE TABLE retrospectives (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  project_id BIGINT REFERENCES projects (id),
  scope TEXT NOT NULL DEFAULT '',
  oid TEXT NOT NULL DEFAULT '',
  task TEXT NOT NULL,
  agent_grade INTEGER,
  user_grade INTEGER,
  score_before BIGINT,
  score_after BIGINT,
  agent_note TEXT NOT NULL DEFAULT '',
  user_note TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);
CREATE INDEX retrospectives_project ON retrospectives (project_id, at DESC, id DESC);

CREATE TABLE activities (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  project_id BIGINT REFERENCES projects (id),
  scope TEXT NOT NULL DEFAULT '',
  task TEXT NOT NULL,
  actions TEXT NOT NULL,
  outcome TEXT NOT NULL,
  decisions TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX activities_project ON activities (project_id, at DESC, id DESC);
