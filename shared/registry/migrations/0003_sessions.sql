-- What agents do: their sessions with the events, files and commits of each,
-- and the record every agent builds up over them.

-- memoryd/internal/session ---------------------------------------------------

-- One session is active in a project and lane at a time; a lane is an agent or,
-- where none is named, a folder. `server` is the MCP server that keeps it open
-- ('' for none): when that has ended, the session was interrupted. `client` is
-- what the agent's client calls its own session.
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
  host TEXT NOT NULL DEFAULT '',
  folder TEXT NOT NULL DEFAULT '',
  client TEXT NOT NULL DEFAULT '',
  server TEXT,
  outcome TEXT CHECK (outcome IN ('success', 'partial', 'blocked', 'failed')),
  outcome_notes TEXT,
  summary TEXT,
  start_oid TEXT,
  end_oid TEXT,
  memories INTEGER NOT NULL DEFAULT 0,
  redactions INTEGER NOT NULL DEFAULT 0,
  started_at TEXT NOT NULL,
  last_event_at TEXT NOT NULL,
  ended_at TEXT
);
CREATE UNIQUE INDEX sessions_one_active ON sessions (project_id, lane) WHERE status = 'active';
CREATE INDEX sessions_recent ON sessions (project_id, started_at DESC, id DESC);
CREATE INDEX sessions_lane ON sessions (project_id, lane, started_at DESC, id DESC);
CREATE INDEX sessions_item ON sessions (item_id, started_at DESC, id DESC) WHERE item_id IS NOT NULL;
CREATE INDEX sessions_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX sessions_open ON sessions (last_event_at) WHERE status = 'active';
CREATE INDEX sessions_broken ON sessions (project_id, last_event_at DESC, id DESC) WHERE status IN ('abandoned', 'interrupted');
CREATE INDEX sessions_broken_lane ON sessions (project_id, lane, last_event_at DESC, id DESC) WHERE status IN ('abandoned', 'interrupted');
CREATE INDEX sessions_client ON sessions (client) WHERE client <> '';

-- What git saw between a session's start and end; note is a commit's subject.
CREATE TABLE session_files (
  session_id BIGINT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'commit')),
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  note TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (session_id, kind, value)
);

-- An event of type 'summary' stands for the `stands_for` small ones that
-- compaction took away.
CREATE TABLE session_events (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  session_id BIGINT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  type TEXT NOT NULL CHECK (type IN ('decision', 'discovery', 'progress', 'blocker', 'note', 'error', 'summary')),
  importance INTEGER NOT NULL DEFAULT 2 CHECK (importance BETWEEN 1 AND 3),
  content TEXT NOT NULL,
  context TEXT,
  stands_for INTEGER NOT NULL DEFAULT 1,
  redactions INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
);
CREATE INDEX session_events_session ON session_events (session_id, id);

-- What memoryd does beside sessions, once a project at a time: pulling tickets
-- (`pull`), profiling (`profile`), and what a project was told once (`told …`).
CREATE TABLE session_chores (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  chore TEXT NOT NULL,
  token TEXT NOT NULL DEFAULT '',
  started_at TEXT NOT NULL,
  finished_at TEXT,
  failure TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (project_id, chore)
);

-- What sessions read of a tracker's tickets. They are empty until the program
-- that keeps tickets puts its own views in their place.
CREATE VIEW ticket_details AS
SELECT CAST(NULL AS BIGINT) AS item_id, '' AS provider, '' AS url, '' AS sprint, '' AS labels, '' AS due_date, '' AS synced_at
WHERE 1 = 0;
CREATE VIEW item_criteria AS
SELECT CAST(NULL AS BIGINT) AS item_id, 0 AS position, '' AS uid, '' AS text, '' AS status, '' AS session_ref, '' AS changed_at
WHERE 1 = 0;
CREATE VIEW project_sync AS
SELECT CAST(NULL AS BIGINT) AS project_id, '' AS provider, '' AS pulled_at, 0 AS offline, 0 AS pending, 0 AS conflicts, '' AS failure
WHERE 1 = 0;

-- memoryd/internal/record ----------------------------------------------------

-- What an agent stands at. XP is kept in tenths, so that a tenth is exact.
CREATE TABLE agent_scores (
  agent_id BIGINT PRIMARY KEY REFERENCES agents (id),
  sp BIGINT NOT NULL,
  xp_tenths BIGINT NOT NULL CHECK (xp_tenths >= 0),
  cs BIGINT NOT NULL,
  commits BIGINT NOT NULL,
  bugs BIGINT NOT NULL,
  halted INTEGER NOT NULL DEFAULT 0 CHECK (halted IN (0, 1)),
  updated_at TEXT NOT NULL
);

-- What changed an agent's scores. The tool uses and commands of one day are one
-- row, whose `times` counts them.
CREATE TABLE score_events (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  project_id BIGINT REFERENCES projects (id),
  kind TEXT NOT NULL CHECK (kind IN ('tool', 'command', 'commit', 'grade', 'bug', 'level_up', 'halt', 'resume')),
  times BIGINT NOT NULL DEFAULT 1,
  d_sp BIGINT NOT NULL DEFAULT 0,
  d_xp_tenths BIGINT NOT NULL DEFAULT 0,
  d_cs BIGINT NOT NULL DEFAULT 0,
  scope TEXT NOT NULL DEFAULT '',
  oid TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);
CREATE INDEX score_events_agent ON score_events (agent_id, kind, id);
CREATE INDEX score_events_mistakes ON score_events (id) WHERE kind IN ('bug', 'halt');

-- A commit that an agent made or was graded for; oid is as it was given where no
-- repository could resolve it.
CREATE TABLE commits (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  agent_id BIGINT REFERENCES agents (id),
  session_id BIGINT REFERENCES sessions (id),
  scope TEXT NOT NULL DEFAULT '',
  oid TEXT NOT NULL,
  subject TEXT NOT NULL DEFAULT '',
  body TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);
CREATE UNIQUE INDEX commits_oid ON commits (project_id, oid);
CREATE INDEX commits_agent ON commits (agent_id, id) WHERE agent_id IS NOT NULL;

CREATE TABLE grades (
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  project_id BIGINT NOT NULL REFERENCES projects (id),
  oid TEXT NOT NULL,
  agent_grade INTEGER NOT NULL CHECK (agent_grade IN (-1, 1, 2, 5)),
  user_grade INTEGER NOT NULL CHECK (user_grade IN (-1, 1, 2, 5)),
  at TEXT NOT NULL,
  PRIMARY KEY (agent_id, project_id, oid)
);

-- An agent has one retrospective of a commit; what is said last of it holds.
CREATE TABLE retrospectives (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  project_id BIGINT NOT NULL REFERENCES projects (id),
  scope TEXT NOT NULL DEFAULT '',
  oid TEXT NOT NULL DEFAULT '',
  task TEXT NOT NULL DEFAULT '',
  agent_grade INTEGER CHECK (agent_grade IN (-1, 1, 2, 5)),
  user_grade INTEGER CHECK (user_grade IN (-1, 1, 2, 5)),
  score_before BIGINT NOT NULL,
  score_after BIGINT NOT NULL,
  agent_note TEXT NOT NULL DEFAULT '',
  user_note TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);
CREATE UNIQUE INDEX retrospectives_commit ON retrospectives (agent_id, project_id, oid) WHERE oid <> '';
CREATE INDEX retrospectives_project ON retrospectives (project_id, at DESC, id DESC);

CREATE TABLE activities (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  project_id BIGINT NOT NULL REFERENCES projects (id),
  scope TEXT NOT NULL DEFAULT '',
  task TEXT NOT NULL,
  actions TEXT NOT NULL DEFAULT '',
  outcome TEXT NOT NULL DEFAULT '',
  decisions TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);
CREATE INDEX activities_project ON activities (project_id, at DESC, id DESC);
CREATE INDEX activities_agent ON activities (agent_id, id);

-- Agents that get no claim until a person lets them go on.
CREATE VIEW halted_agents AS
  SELECT agent_id, sp, bugs, updated_at AS since FROM agent_scores WHERE halted = 1;
