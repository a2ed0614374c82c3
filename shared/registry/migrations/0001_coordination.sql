-- The registry's first schema: projects, agents, work, and agit's worktrees.
--
-- One text loads in SQLite and in PostgreSQL. `INTEGER PRIMARY KEY` is the only
-- token that is rewritten; times are fixed-width RFC 3339 text written by Go;
-- names compared without case carry a folded *_key column; no triggers, no JSON
-- functions, no dialect. Surrogate ids never leave the registry: `uid` is what
-- `agit db merge` joins on, `ref` is what people type. docs/architecture.md
-- names the one package that writes each table.

-- shared/registry ------------------------------------------------------------

CREATE TABLE registry_meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- What changed, for other processes: one row per topic and transaction.
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  topic TEXT NOT NULL,
  project_id BIGINT,
  subject TEXT NOT NULL DEFAULT ''
);

-- shared/project -------------------------------------------------------------

CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed', 'on_hold')),
  remote TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_seen_at TEXT,
  deleted_at TEXT
);
CREATE UNIQUE INDEX projects_remote ON projects (remote) WHERE remote IS NOT NULL AND deleted_at IS NULL;

CREATE TABLE project_folders (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  path TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  PRIMARY KEY (host, path)
);
CREATE INDEX project_folders_project ON project_folders (project_id);

-- shared/agent ---------------------------------------------------------------

-- A removed agent keeps its row (history points at it); its name revives it.
CREATE TABLE agents (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  type TEXT NOT NULL DEFAULT 'custom',
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'idle', 'disconnected')),
  epoch BIGINT NOT NULL DEFAULT 1,
  host TEXT NOT NULL DEFAULT '',
  registered_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  removed_at TEXT
);
CREATE UNIQUE INDEX agents_name ON agents (name_key);
CREATE INDEX agents_seen ON agents (status, last_seen_at);

CREATE TABLE agent_capabilities (
  agent_id BIGINT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  capability TEXT NOT NULL,
  PRIMARY KEY (agent_id, capability)
);

-- shared/work ----------------------------------------------------------------

-- Everything that can block, contain or be linked has one row here. `status` is
-- the kind's own word, `state` the one word that readiness looks at, `holds` the
-- number of things that keep it waiting; only shared/work maintains it.
CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  kind TEXT NOT NULL CHECK (kind IN ('task', 'ticket', 'plan', 'bug', 'epic', 'scenario', 'artifact')),
  ref TEXT NOT NULL,
  ref_key TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'active', 'done', 'dropped')),
  priority INTEGER NOT NULL DEFAULT 2 CHECK (priority BETWEEN 0 AND 4),
  parent_id BIGINT REFERENCES items (id),
  origin_id BIGINT REFERENCES items (id),
  holds INTEGER NOT NULL DEFAULT 0 CHECK (holds >= 0),
  assignee_agent_id BIGINT REFERENCES agents (id),
  assignee TEXT,
  order_index INTEGER NOT NULL DEFAULT 0,
  estimate_seconds BIGINT,
  version BIGINT NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  deleted_at TEXT
);
CREATE UNIQUE INDEX items_ref ON items (project_id, kind, ref_key);
CREATE INDEX items_lookup ON items (ref_key);
CREATE INDEX items_ready ON items (project_id, priority DESC, created_at, id)
  WHERE state = 'open' AND holds = 0 AND deleted_at IS NULL;
CREATE INDEX items_label ON items (kind, project_id, status, deleted_at);
CREATE INDEX items_parent ON items (parent_id) WHERE parent_id IS NOT NULL;
CREATE UNIQUE INDEX items_origin ON items (origin_id)
  WHERE origin_id IS NOT NULL AND kind = 'task' AND deleted_at IS NULL AND state <> 'dropped';
CREATE INDEX items_assignee ON items (assignee_agent_id) WHERE assignee_agent_id IS NOT NULL;

-- The claim of one item. The row stays when the claim ends (agent_id NULL), so
-- that epoch, the fencing token, only grows.
CREATE TABLE leases (
  item_id BIGINT PRIMARY KEY REFERENCES items (id),
  agent_id BIGINT REFERENCES agents (id),
  epoch BIGINT NOT NULL,
  agent_epoch BIGINT NOT NULL DEFAULT 0,
  claimed_at TEXT
);
CREATE INDEX leases_agent ON leases (agent_id) WHERE agent_id IS NOT NULL;

CREATE TABLE item_history (
  id INTEGER PRIMARY KEY,
  item_id BIGINT NOT NULL REFERENCES items (id),
  at TEXT NOT NULL,
  agent_id BIGINT REFERENCES agents (id),
  actor TEXT NOT NULL DEFAULT '',
  field TEXT NOT NULL,
  old TEXT,
  new TEXT,
  why TEXT NOT NULL DEFAULT '',
  epoch BIGINT
);
CREATE INDEX item_history_item ON item_history (item_id, id);
CREATE INDEX item_history_agent ON item_history (agent_id, field, new) WHERE agent_id IS NOT NULL;

-- agit/internal/repo ---------------------------------------------------------

CREATE TABLE repos (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  host TEXT NOT NULL,
  path TEXT NOT NULL,
  common_dir TEXT NOT NULL,
  remote_url TEXT,
  default_branch TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  removed_at TEXT
);
CREATE UNIQUE INDEX repos_name ON repos (name_key) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX repos_dir ON repos (host, common_dir) WHERE removed_at IS NULL;
CREATE INDEX repos_project ON repos (project_id);

-- agit/internal/worktree -----------------------------------------------------

-- intent* say which process is between git and the registry right now; a row
-- whose process is gone is finished or undone by the next command or doctor.
CREATE TABLE worktrees (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  repo_id BIGINT NOT NULL REFERENCES repos (id),
  agent_id BIGINT REFERENCES agents (id),
  item_id BIGINT REFERENCES items (id),
  task_text TEXT NOT NULL DEFAULT '',
  path TEXT NOT NULL,
  branch TEXT NOT NULL,
  base_oid TEXT NOT NULL DEFAULT '',
  port INTEGER,
  status TEXT NOT NULL CHECK (status IN
    ('creating', 'active', 'stale', 'conflict', 'removing', 'completed', 'trashed')),
  intent TEXT NOT NULL DEFAULT '' CHECK (intent IN ('', 'spawn', 'remove', 'merge', 'restore')),
  intent_host TEXT NOT NULL DEFAULT '',
  intent_pid BIGINT NOT NULL DEFAULT 0,
  intent_boot TEXT NOT NULL DEFAULT '',
  intent_at TEXT,
  intent_journal TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  finished_at TEXT
);
CREATE UNIQUE INDEX worktrees_path ON worktrees (repo_id, path) WHERE status NOT IN ('completed', 'trashed');
CREATE UNIQUE INDEX worktrees_port ON worktrees (port)
  WHERE port IS NOT NULL AND status NOT IN ('completed', 'trashed');
CREATE INDEX worktrees_agent ON worktrees (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX worktrees_item ON worktrees (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX worktrees_intent ON worktrees (intent) WHERE intent <> '';

CREATE TABLE trash (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  worktree_id BIGINT NOT NULL REFERENCES worktrees (id),
  path TEXT NOT NULL,
  branch TEXT NOT NULL,
  branch_oid TEXT NOT NULL,
  head_oid TEXT NOT NULL DEFAULT '',
  snapshot_ref TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL CHECK (status IN ('moving', 'kept', 'restored', 'purged')),
  removed_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  removed_by BIGINT REFERENCES agents (id)
);
CREATE INDEX trash_worktree ON trash (worktree_id);

-- agit/internal/conflict -----------------------------------------------------

CREATE TABLE worktree_scans (
  worktree_id BIGINT PRIMARY KEY REFERENCES worktrees (id) ON DELETE CASCADE,
  head_oid TEXT NOT NULL,
  base_oid TEXT NOT NULL,
  stat_digest TEXT NOT NULL,
  tree_oid TEXT NOT NULL DEFAULT '',
  scanned_at TEXT NOT NULL
);

CREATE TABLE file_touches (
  repo_id BIGINT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  worktree_id BIGINT NOT NULL REFERENCES worktrees (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  change TEXT NOT NULL,
  old_path TEXT,
  line_ranges TEXT NOT NULL DEFAULT '',
  committed INTEGER NOT NULL DEFAULT 0,
  detected_at TEXT NOT NULL,
  PRIMARY KEY (worktree_id, path)
);
CREATE INDEX file_touches_path ON file_touches (repo_id, path);

CREATE TABLE conflict_pairs (
  repo_id BIGINT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  a_id BIGINT NOT NULL REFERENCES worktrees (id) ON DELETE CASCADE,
  b_id BIGINT NOT NULL REFERENCES worktrees (id) ON DELETE CASCADE,
  depth TEXT NOT NULL CHECK (depth IN ('file', 'lines', 'merge')),
  path TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  found_at TEXT NOT NULL,
  PRIMARY KEY (a_id, b_id, path)
);
CREATE INDEX conflict_pairs_repo ON conflict_pairs (repo_id);

CREATE TABLE file_claims (
  id INTEGER PRIMARY KEY,
  repo_id BIGINT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  pattern TEXT NOT NULL,
  why TEXT NOT NULL DEFAULT '',
  claimed_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  UNIQUE (repo_id, agent_id, pattern)
);

-- agit/internal/task ---------------------------------------------------------

CREATE TABLE tasks (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  repo_id BIGINT REFERENCES repos (id),
  worktree_id BIGINT REFERENCES worktrees (id),
  result TEXT,
  actual_seconds BIGINT
);
CREATE INDEX tasks_repo ON tasks (repo_id) WHERE repo_id IS NOT NULL;
CREATE INDEX tasks_worktree ON tasks (worktree_id) WHERE worktree_id IS NOT NULL;

-- Reading contracts: what a package may read of tables it does not own --------

-- Each registered agent with the item it claimed last and the worktree it was
-- given last.
CREATE VIEW agent_board AS
SELECT a.id,
  (SELECT i.ref FROM leases l JOIN items i ON i.id = l.item_id
   WHERE l.agent_id = a.id ORDER BY l.claimed_at DESC LIMIT 1) AS current_task,
  (SELECT w.ref FROM worktrees w
   WHERE w.agent_id = a.id AND w.status IN ('active', 'stale', 'conflict')
   ORDER BY w.created_at DESC, w.id DESC LIMIT 1) AS current_worktree
FROM agents a
WHERE a.removed_at IS NULL;
