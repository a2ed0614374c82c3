-- The tables of a new registry, written by a test from the migrations. Edit those, never this.

CREATE TABLE registry_meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE changes (
  seq INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  topic TEXT NOT NULL,
  project_id BIGINT,
  subject TEXT NOT NULL DEFAULT ''
);

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

CREATE UNIQUE INDEX repos_dir ON repos (host, common_dir) WHERE removed_at IS NULL;

CREATE INDEX repos_project ON repos (project_id);

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
, host TEXT NOT NULL DEFAULT '', made_by TEXT NOT NULL DEFAULT '');

CREATE UNIQUE INDEX worktrees_path ON worktrees (repo_id, path) WHERE status NOT IN ('completed', 'trashed');

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

CREATE TABLE worktree_scans (
  worktree_id BIGINT PRIMARY KEY REFERENCES worktrees (id) ON DELETE CASCADE,
  head_oid TEXT NOT NULL,
  base_oid TEXT NOT NULL,
  stat_digest TEXT NOT NULL,
  tree_oid TEXT NOT NULL DEFAULT '',
  scanned_at TEXT NOT NULL
, default_conflicts TEXT NOT NULL DEFAULT '');

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

CREATE TABLE tasks (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  repo_id BIGINT REFERENCES repos (id),
  worktree_id BIGINT REFERENCES worktrees (id),
  result TEXT,
  actual_seconds BIGINT
);

CREATE INDEX tasks_repo ON tasks (repo_id) WHERE repo_id IS NOT NULL;

CREATE INDEX tasks_worktree ON tasks (worktree_id) WHERE worktree_id IS NOT NULL;

CREATE TABLE dependencies (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  source_id BIGINT NOT NULL REFERENCES items (id),
  target_id BIGINT NOT NULL REFERENCES items (id),
  relation TEXT NOT NULL CHECK (relation IN ('blocks', 'discovered_from', 'related_to')),
  bidirectional INTEGER NOT NULL DEFAULT 0 CHECK (bidirectional = 0 OR relation = 'related_to'),
  strength INTEGER NOT NULL DEFAULT 1 CHECK (strength BETWEEN 1 AND 3),
  notes TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  created_by BIGINT REFERENCES agents (id),
  CHECK (source_id <> target_id)
);

CREATE UNIQUE INDEX dependencies_edge ON dependencies (source_id, relation, target_id);

CREATE INDEX dependencies_target ON dependencies (target_id, relation, source_id);

CREATE TABLE item_capabilities (
  item_id BIGINT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  capability TEXT NOT NULL,
  PRIMARY KEY (item_id, capability)
);

CREATE INDEX items_queue ON items (priority DESC, created_at, id)
  WHERE state = 'open' AND holds = 0 AND deleted_at IS NULL;

CREATE TABLE epics (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  by_hand INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE bugs (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  severity TEXT NOT NULL CHECK (severity IN ('low', 'medium', 'high', 'critical')),
  found_by BIGINT REFERENCES agents (id),
  found_in_task BIGINT REFERENCES items (id),
  found_in_artifact BIGINT REFERENCES items (id)
);

CREATE INDEX bugs_found_by ON bugs (found_by) WHERE found_by IS NOT NULL;

CREATE INDEX bugs_task ON bugs (found_in_task) WHERE found_in_task IS NOT NULL;

CREATE INDEX bugs_artifact ON bugs (found_in_artifact) WHERE found_in_artifact IS NOT NULL;

CREATE TABLE artifacts (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('code', 'test', 'report', 'screenshot', 'documentation')),
  size BIGINT,
  produced_by BIGINT REFERENCES items (id)
);

CREATE INDEX artifacts_task ON artifacts (produced_by, path) WHERE produced_by IS NOT NULL;

CREATE INDEX artifacts_path ON artifacts (path);

CREATE TABLE scenarios (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  pass_rate DOUBLE PRECISION CHECK (pass_rate BETWEEN 0 AND 100)
);

CREATE TABLE scenario_tasks (
  scenario_id BIGINT NOT NULL REFERENCES scenarios (item_id) ON DELETE CASCADE,
  task_id BIGINT NOT NULL REFERENCES items (id),
  PRIMARY KEY (task_id, scenario_id)
);

CREATE INDEX scenario_tasks_scenario ON scenario_tasks (scenario_id);

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

CREATE TABLE session_files (
  session_id BIGINT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'commit')),
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  note TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (session_id, kind, value)
);

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

CREATE TABLE session_chores (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  chore TEXT NOT NULL,
  token TEXT NOT NULL DEFAULT '',
  started_at TEXT NOT NULL,
  finished_at TEXT,
  failure TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (project_id, chore)
);

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

CREATE TABLE memory_items (
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  ref TEXT NOT NULL,
  ref_key TEXT NOT NULL,
  item_id BIGINT REFERENCES items (id),
  PRIMARY KEY (memory_id, ref_key)
);

CREATE INDEX memory_items_by ON memory_items (ref_key, memory_id);

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

CREATE TABLE memory_citations (
  memory_id BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  line INTEGER NOT NULL DEFAULT 0,
  snippet TEXT NOT NULL DEFAULT '',
  oid TEXT NOT NULL DEFAULT '', surroundings TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (memory_id, position)
);

CREATE VIRTUAL TABLE memory_index USING fts5 (
  name, content, scope,
  content = '', contentless_delete = 1, tokenize = 'ascii'
);

CREATE VIRTUAL TABLE memory_vocabulary USING fts5vocab ('memory_index', 'row');

CREATE TABLE memory_terms (
  memory_id INTEGER PRIMARY KEY,
  length REAL NOT NULL,
  terms BLOB NOT NULL
);

CREATE TABLE memory_words (
  rest TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (rest, word)
) WITHOUT ROWID;

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
, surroundings TEXT NOT NULL DEFAULT '');

CREATE UNIQUE INDEX citations_place ON citations (doc_id, path, line);

CREATE INDEX citations_path ON citations (path);

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

CREATE TABLE profiles (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  package TEXT NOT NULL DEFAULT '',
  path TEXT NOT NULL,
  asked INTEGER NOT NULL DEFAULT 1 CHECK (asked IN (0, 1)),
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  framework TEXT NOT NULL,
  scope TEXT NOT NULL,
  scope_key TEXT NOT NULL DEFAULT '',
  manifest_type TEXT NOT NULL,
  agentsmd_hash TEXT NOT NULL DEFAULT '',
  input_hash TEXT NOT NULL,
  dependency_keys TEXT NOT NULL DEFAULT '',
  words TEXT NOT NULL DEFAULT '',
  details TEXT NOT NULL DEFAULT '{}',
  classified_at TEXT NOT NULL
);

CREATE UNIQUE INDEX profiles_package ON profiles (project_id, package);

CREATE INDEX profiles_language ON profiles (language, framework);

CREATE INDEX profiles_path ON profiles (path);

CREATE TABLE profile_dependencies (
  profile_id BIGINT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  ecosystem TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (profile_id, ecosystem, name)
);

CREATE INDEX profile_dependencies_by ON profile_dependencies (name, ecosystem, profile_id);

CREATE TABLE item_holds (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  agent_id BIGINT REFERENCES agents (id),
  why TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);

CREATE TABLE own_names (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name_key TEXT NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'user' CHECK (source IN ('user', 'tracker')),
  PRIMARY KEY (project_id, name_key)
);

CREATE TABLE sprints (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  remote_id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'planned' CHECK (status IN ('planned', 'active', 'completed')),
  goal TEXT NOT NULL DEFAULT '',
  starts_at TEXT,
  ends_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  synced_at TEXT,
  gone_at TEXT
, provider TEXT NOT NULL DEFAULT 'local');

CREATE INDEX sprints_status ON sprints (project_id, status, starts_at);

CREATE INDEX sprints_name ON sprints (project_id, name_key);

CREATE TABLE tickets (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  remote_id TEXT NOT NULL,
  item_type TEXT NOT NULL DEFAULT 'ticket' CHECK (item_type IN ('ticket', 'subtask', 'epic', 'milestone')),
  provider_type TEXT NOT NULL DEFAULT '',
  body_format TEXT NOT NULL DEFAULT 'markdown' CHECK (body_format IN ('markdown', 'adf', 'html', 'wiki', 'text')),
  body TEXT,
  body_html TEXT,
  criteria_body TEXT,
  parsed_hash TEXT NOT NULL DEFAULT '',
  status_id TEXT NOT NULL DEFAULT '',
  status_category TEXT NOT NULL CHECK (status_category IN ('todo', 'in_progress', 'done', 'canceled')),
  priority_label TEXT NOT NULL DEFAULT '',
  assignee TEXT NOT NULL DEFAULT '',
  assignee_name TEXT NOT NULL DEFAULT '',
  sprint_id BIGINT REFERENCES sprints (id),
  epic_id BIGINT REFERENCES items (id),
  milestone_id BIGINT REFERENCES items (id),
  due_date TEXT,
  estimate DOUBLE PRECISION,
  estimate_unit TEXT NOT NULL DEFAULT '' CHECK (estimate_unit IN ('', 'points', 'hours', 'days')),
  url TEXT NOT NULL DEFAULT '',
  provider_data TEXT,
  revision TEXT NOT NULL DEFAULT '',
  content_hash TEXT NOT NULL DEFAULT '',
  created_at_provider TEXT,
  updated_at_provider TEXT,
  synced_at TEXT,
  archived_at TEXT,
  gone_at TEXT
, provider TEXT NOT NULL DEFAULT 'local');

CREATE INDEX tickets_sprint ON tickets (sprint_id) WHERE sprint_id IS NOT NULL;

CREATE INDEX tickets_epic ON tickets (epic_id) WHERE epic_id IS NOT NULL;

CREATE INDEX tickets_milestone ON tickets (milestone_id) WHERE milestone_id IS NOT NULL;

CREATE INDEX tickets_type ON tickets (project_id, item_type, status_category);

CREATE INDEX tickets_assignee ON tickets (project_id, assignee) WHERE assignee <> '';

CREATE INDEX tickets_updated ON tickets (project_id, updated_at_provider);

CREATE TABLE ticket_labels (
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  label_key TEXT NOT NULL,
  label TEXT NOT NULL,
  remote_id TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (item_id, label_key)
);

CREATE INDEX ticket_labels_by ON ticket_labels (label_key, item_id);

CREATE TABLE ticket_links (
  id INTEGER PRIMARY KEY,
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  relation TEXT NOT NULL CHECK (relation IN ('blocks', 'blocked_by', 'parent_of', 'child_of', 'related_to', 'duplicates', 'duplicated_by', 'web')),
  remote_id TEXT NOT NULL,
  key TEXT NOT NULL DEFAULT '',
  title TEXT NOT NULL DEFAULT '',
  url TEXT NOT NULL DEFAULT '',
  target_id BIGINT REFERENCES items (id)
);

CREATE UNIQUE INDEX ticket_links_one ON ticket_links (item_id, relation, remote_id);

CREATE INDEX ticket_links_remote ON ticket_links (remote_id) WHERE target_id IS NULL;

CREATE INDEX ticket_links_target ON ticket_links (target_id) WHERE target_id IS NOT NULL;

CREATE TABLE ticket_keys (
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  key_key TEXT NOT NULL,
  key TEXT NOT NULL,
  until TEXT NOT NULL,
  PRIMARY KEY (item_id, key_key)
);

CREATE INDEX ticket_keys_by ON ticket_keys (key_key);

CREATE TABLE plans (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  ticket_id BIGINT REFERENCES items (id)
);

CREATE INDEX plans_ticket ON plans (ticket_id) WHERE ticket_id IS NOT NULL;

CREATE TABLE plan_tags (
  item_id BIGINT NOT NULL REFERENCES plans (item_id) ON DELETE CASCADE,
  tag_key TEXT NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (item_id, tag_key)
);

CREATE INDEX plan_tags_by ON plan_tags (tag_key, item_id);

CREATE TABLE criteria (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  item_id BIGINT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'parsed' CHECK (source IN ('parsed', 'manual', 'checklist')),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'verified', 'failed', 'blocked')),
  verified_at TEXT,
  failed_at TEXT,
  failed_reason TEXT NOT NULL DEFAULT '',
  notes TEXT NOT NULL DEFAULT '',
  attempts INTEGER NOT NULL DEFAULT 0,
  changed_by BIGINT REFERENCES agents (id),
  session_ref TEXT NOT NULL DEFAULT '',
  changed_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  gone_at TEXT
, why TEXT NOT NULL DEFAULT '', unsure INTEGER NOT NULL DEFAULT 0 CHECK (unsure IN (0, 1)));

CREATE INDEX criteria_item ON criteria (item_id, position);

CREATE INDEX criteria_session ON criteria (session_ref) WHERE session_ref <> '';

CREATE TABLE criterion_evidence (
  criterion_id BIGINT NOT NULL REFERENCES criteria (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'test', 'commit', 'screenshot')),
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  found TEXT NOT NULL DEFAULT '' CHECK (found IN ('', 'yes', 'no')),
  PRIMARY KEY (criterion_id, kind, position)
);

CREATE TABLE pending_changes (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  item_id BIGINT NOT NULL REFERENCES items (id),
  value TEXT NOT NULL,
  base TEXT,
  client_id TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sending', 'synced', 'failed', 'conflict', 'canceled')),
  attempts INTEGER NOT NULL DEFAULT 0,
  last_attempt_at TEXT,
  next_attempt_at TEXT,
  last_error TEXT NOT NULL DEFAULT '',
  remote_id TEXT NOT NULL DEFAULT '',
  agent_id BIGINT REFERENCES agents (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  synced_at TEXT
, change_type TEXT NOT NULL DEFAULT '');

CREATE INDEX pending_changes_queue ON pending_changes (project_id, status, id);

CREATE INDEX pending_changes_item ON pending_changes (item_id, id);

CREATE TABLE trackers (
  project_id BIGINT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  scope TEXT NOT NULL DEFAULT '',
  viewer_id TEXT NOT NULL DEFAULT '',
  viewer_name TEXT NOT NULL DEFAULT '',
  pulled_at TEXT,
  full_pull_at TEXT,
  pushed_at TEXT,
  offline_since TEXT,
  failure TEXT NOT NULL DEFAULT '',
  lease_holder TEXT NOT NULL DEFAULT '',
  lease_until TEXT,
  updated_at TEXT NOT NULL
, provider TEXT NOT NULL DEFAULT '');

CREATE TABLE tracker_statuses (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  scope TEXT NOT NULL DEFAULT '',
  remote_id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  category TEXT NOT NULL CHECK (category IN ('todo', 'in_progress', 'done', 'canceled')),
  position DOUBLE PRECISION NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, scope, remote_id)
);

CREATE TABLE tracker_transitions (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  scope TEXT NOT NULL DEFAULT '',
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  PRIMARY KEY (project_id, scope, from_id, to_id)
);

CREATE TABLE sync_conflicts (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  item_id BIGINT NOT NULL REFERENCES items (id),
  change_id BIGINT REFERENCES pending_changes (id),
  field TEXT NOT NULL,
  base TEXT,
  local TEXT,
  remote TEXT,
  found_at TEXT NOT NULL,
  resolved_at TEXT,
  resolution TEXT NOT NULL DEFAULT '' CHECK (resolution IN ('', 'keep_local', 'keep_remote', 'merge', 'provider')),
  resolved_by BIGINT REFERENCES agents (id)
);

CREATE UNIQUE INDEX sync_conflicts_open ON sync_conflicts (item_id, field) WHERE resolved_at IS NULL;

CREATE INDEX sync_conflicts_project ON sync_conflicts (project_id, resolved_at);

CREATE TABLE sync_state (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  stream TEXT NOT NULL,
  watermark TEXT NOT NULL DEFAULT '',
  window_end TEXT NOT NULL DEFAULT '',
  cursor TEXT NOT NULL DEFAULT '',
  updated_at TEXT NOT NULL,
  PRIMARY KEY (project_id, stream)
);

CREATE TABLE sync_failures (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  remote_id TEXT NOT NULL,
  error TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 1,
  first_at TEXT NOT NULL,
  retry_at TEXT NOT NULL,
  PRIMARY KEY (project_id, remote_id)
);

CREATE TABLE sync_log (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  direction TEXT NOT NULL CHECK (direction IN ('pull', 'push', 'full')),
  provider TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('started', 'success', 'partial', 'failed')),
  processed BIGINT NOT NULL DEFAULT 0,
  created BIGINT NOT NULL DEFAULT 0,
  updated BIGINT NOT NULL DEFAULT 0,
  deleted BIGINT NOT NULL DEFAULT 0,
  requests BIGINT NOT NULL DEFAULT 0,
  errors TEXT NOT NULL DEFAULT '',
  started_at TEXT NOT NULL,
  completed_at TEXT,
  duration_ms BIGINT
);

CREATE INDEX sync_log_project ON sync_log (project_id, id);

CREATE UNIQUE INDEX repos_name ON repos (name_key, host) WHERE removed_at IS NULL;

CREATE UNIQUE INDEX worktrees_port ON worktrees (host, port)
  WHERE port IS NOT NULL AND status NOT IN ('completed', 'trashed');

CREATE TABLE agent_states (
  id INTEGER PRIMARY KEY,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  host TEXT NOT NULL,
  session TEXT NOT NULL DEFAULT '',
  repo_id BIGINT REFERENCES repos (id) ON DELETE CASCADE,
  worktree_id BIGINT REFERENCES worktrees (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('working', 'waiting for you', 'idle', 'gone')),
  since TEXT NOT NULL,
  said_at TEXT NOT NULL,
  quiet_until TEXT,
  note TEXT NOT NULL DEFAULT '',
  asked TEXT NOT NULL DEFAULT '',
  source TEXT NOT NULL CHECK (source IN ('hook', 'work'))
, folder TEXT NOT NULL DEFAULT '');

CREATE UNIQUE INDEX agent_states_session ON agent_states (agent_id, host, session);

CREATE INDEX agent_states_repo ON agent_states (repo_id, said_at) WHERE repo_id IS NOT NULL;

CREATE INDEX agent_states_worktree ON agent_states (worktree_id) WHERE worktree_id IS NOT NULL;

CREATE TABLE pull_requests (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  worktree_id BIGINT NOT NULL REFERENCES worktrees (id) ON DELETE CASCADE,
  forge TEXT NOT NULL CHECK (forge IN ('github', 'gitlab', 'azure')),
  number BIGINT NOT NULL,
  url TEXT NOT NULL,
  target TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL CHECK (state IN ('open', 'merged', 'closed')),
  draft INTEGER NOT NULL DEFAULT 0,
  checks TEXT NOT NULL DEFAULT '',
  review TEXT NOT NULL DEFAULT '',
  mergeable TEXT NOT NULL DEFAULT '',
  head_oid TEXT NOT NULL DEFAULT '',
  merge_oid TEXT NOT NULL DEFAULT '',
  opened_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  ended_at TEXT
);

CREATE UNIQUE INDEX pull_requests_number ON pull_requests (worktree_id, number);

CREATE TABLE reviews (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  worktree_id BIGINT NOT NULL REFERENCES worktrees (id),
  item_id BIGINT REFERENCES items (id),
  agent_id BIGINT REFERENCES agents (id),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'accepted', 'returned', 'withdrawn')),
  tip_oid TEXT NOT NULL,
  onto_oid TEXT NOT NULL DEFAULT '',
  merged_oid TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL DEFAULT '',
  gate TEXT NOT NULL DEFAULT '' CHECK (gate IN ('', 'passed')),
  gate_log TEXT NOT NULL DEFAULT '',
  files INTEGER NOT NULL DEFAULT 0,
  insertions INTEGER NOT NULL DEFAULT 0,
  deletions INTEGER NOT NULL DEFAULT 0,
  asked_at TEXT NOT NULL,
  decided_at TEXT,
  decided_by TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL DEFAULT ''
);

CREATE UNIQUE INDEX reviews_waiting ON reviews (worktree_id) WHERE state = 'waiting';

CREATE INDEX reviews_worktree ON reviews (worktree_id, id);

CREATE INDEX reviews_item ON reviews (item_id, id) WHERE item_id IS NOT NULL;

CREATE INDEX reviews_state ON reviews (state, decided_at);

CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  run TEXT NOT NULL UNIQUE,
  item_id BIGINT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  worktree_id BIGINT REFERENCES worktrees (id) ON DELETE SET NULL,
  cause TEXT NOT NULL CHECK (cause IN ('begun', 'resumed', 'again', 'conflict', 'gate')),
  client TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '',
  host TEXT NOT NULL,
  pid BIGINT NOT NULL,
  mark TEXT NOT NULL,
  child_pid BIGINT NOT NULL DEFAULT 0,
  child_mark TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'returned', 'failed', 'stopped', 'lost')),
  why TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL DEFAULT '',
  log TEXT NOT NULL DEFAULT '',
  started_at TEXT NOT NULL,
  ended_at TEXT
, ending TEXT NOT NULL DEFAULT '', until TEXT, tokens_in BIGINT NOT NULL DEFAULT 0, tokens_out BIGINT NOT NULL DEFAULT 0, tokens_cached BIGINT NOT NULL DEFAULT 0, cost BIGINT NOT NULL DEFAULT 0, currency TEXT NOT NULL DEFAULT '', computed INTEGER NOT NULL DEFAULT 0, model TEXT NOT NULL DEFAULT '', turns BIGINT NOT NULL DEFAULT 0);

CREATE INDEX attempts_item ON attempts (item_id, id);

CREATE INDEX attempts_running ON attempts (host, agent_id) WHERE state = 'running';

CREATE INDEX attempts_worktree ON attempts (worktree_id, id) WHERE worktree_id IS NOT NULL;

CREATE TABLE landings (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  repo_id BIGINT NOT NULL REFERENCES repos (id),
  worktree_id BIGINT NOT NULL REFERENCES worktrees (id) ON DELETE CASCADE,
  agent_id BIGINT REFERENCES agents (id),
  host TEXT NOT NULL,
  pid BIGINT NOT NULL,
  process TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'landed', 'returned', 'cancelled')),
  strategy TEXT NOT NULL CHECK (strategy IN ('merge', 'squash', 'rebase')),
  target TEXT NOT NULL,
  target_oid TEXT NOT NULL DEFAULT '',
  tip_oid TEXT NOT NULL,
  commit_oid TEXT NOT NULL DEFAULT '',
  tested_tree TEXT NOT NULL DEFAULT '',
  gate TEXT NOT NULL DEFAULT '',
  gate_result TEXT NOT NULL DEFAULT '' CHECK (gate_result IN ('', 'running', 'passed', 'failed')),
  gate_at TEXT,
  log TEXT NOT NULL DEFAULT '',
  rounds INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT '',
  asked_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT
, gate_skipped TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '', keep_task INTEGER NOT NULL DEFAULT 0, identity TEXT NOT NULL DEFAULT '', gate_key TEXT NOT NULL DEFAULT '', batch BIGINT NOT NULL DEFAULT 0, outcome TEXT NOT NULL DEFAULT '');

CREATE UNIQUE INDEX landings_one ON landings (worktree_id) WHERE state IN ('queued', 'running');

CREATE INDEX landings_queue ON landings (repo_id, id) WHERE state IN ('queued', 'running');

CREATE INDEX landings_worktree ON landings (worktree_id, id);

CREATE UNIQUE INDEX sprints_remote ON sprints (project_id, provider, remote_id);

CREATE UNIQUE INDEX tickets_remote ON tickets (project_id, provider, remote_id);

CREATE TABLE outside_blockers (
  item_id BIGINT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  ref_key TEXT NOT NULL,
  ref TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (item_id, ref_key)
);

CREATE INDEX outside_blockers_ref ON outside_blockers (ref_key);

CREATE TABLE tracker_limits (
  account TEXT NOT NULL,
  bucket TEXT NOT NULL,
  until TEXT NOT NULL,
  boot TEXT NOT NULL DEFAULT '',
  until_up BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account, bucket)
);

CREATE TABLE gate_verdicts (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  repo_id BIGINT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  tree TEXT NOT NULL,
  gate_key TEXT NOT NULL,
  result TEXT NOT NULL CHECK (result IN ('passed', 'failed')),
  command TEXT NOT NULL DEFAULT '',
  how TEXT NOT NULL DEFAULT '',
  lines TEXT NOT NULL DEFAULT '',
  log TEXT NOT NULL DEFAULT '',
  took_ms BIGINT NOT NULL DEFAULT 0,
  tested_at TEXT NOT NULL
);

CREATE UNIQUE INDEX gate_verdicts_of ON gate_verdicts (repo_id, tree, gate_key);

CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  repo_id BIGINT NOT NULL UNIQUE REFERENCES repos (id) ON DELETE CASCADE,
  detail TEXT NOT NULL,
  finished_at TEXT NOT NULL
);

CREATE TABLE conflict_pairs (
  repo_id BIGINT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  a_id BIGINT NOT NULL REFERENCES worktrees (id) ON DELETE CASCADE,
  b_id BIGINT NOT NULL REFERENCES worktrees (id) ON DELETE CASCADE,
  depth TEXT NOT NULL CHECK (depth IN ('file', 'lines', 'uses', 'merge')),
  path TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  found_at TEXT NOT NULL,
  PRIMARY KEY (a_id, b_id, path)
);

CREATE INDEX conflict_pairs_repo ON conflict_pairs (repo_id);

CREATE INDEX attempts_started ON attempts (started_at);

CREATE TABLE questions (
  id INTEGER PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  item_id BIGINT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  worktree_id BIGINT REFERENCES worktrees (id) ON DELETE CASCADE,
  run TEXT NOT NULL,
  host TEXT NOT NULL,
  pid BIGINT NOT NULL,
  mark TEXT NOT NULL,
  call TEXT NOT NULL,
  rules TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL CHECK (state IN ('open', 'allowed', 'denied', 'unanswered', 'dropped')),
  always INTEGER NOT NULL DEFAULT 0,
  why TEXT NOT NULL DEFAULT '',
  asked_at TEXT NOT NULL,
  until TEXT NOT NULL,
  answered_at TEXT
);

CREATE INDEX questions_open ON questions (asked_at) WHERE state = 'open';

CREATE INDEX questions_run ON questions (run);

CREATE TABLE ticket_fields (
  id INTEGER PRIMARY KEY,
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name_key TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL
);

CREATE UNIQUE INDEX ticket_fields_one ON ticket_fields (item_id, name_key);

CREATE TABLE ticket_files (
  id INTEGER PRIMARY KEY,
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('attachment', 'web')),
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  size BIGINT NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX ticket_files_one ON ticket_files (item_id, position);

CREATE TABLE ticket_comments (
  id INTEGER PRIMARY KEY,
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  remote_id TEXT NOT NULL,
  author TEXT NOT NULL,
  body TEXT NOT NULL,
  url TEXT NOT NULL DEFAULT '',
  written_at TEXT NOT NULL
);

CREATE UNIQUE INDEX ticket_comments_one ON ticket_comments (item_id, remote_id);

CREATE TABLE memory_vector_space (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0)
);

CREATE TABLE memory_embedded (
  memory_id INTEGER PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  vectors_id BIGINT NOT NULL
);

CREATE INDEX memory_embedded_vectors ON memory_embedded (vectors_id);

CREATE TABLE memory_vectors (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  kept INTEGER NOT NULL,
  stamp BIGINT NOT NULL,
  ids BLOB NOT NULL,
  vectors BLOB NOT NULL
);

CREATE INDEX memory_vectors_project ON memory_vectors (project_id, kept);

CREATE TABLE tries (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  item_id BIGINT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  worktree_id BIGINT REFERENCES worktrees (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  client TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'shown', 'failed')),
  gate TEXT NOT NULL DEFAULT '' CHECK (gate IN ('', 'passed', 'failed')),
  why TEXT NOT NULL DEFAULT '',
  begun_at TEXT NOT NULL,
  ended_at TEXT
);

CREATE UNIQUE INDEX tries_item ON tries (item_id, number);

CREATE INDEX tries_worktree ON tries (worktree_id) WHERE worktree_id IS NOT NULL;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  agent_id BIGINT NOT NULL REFERENCES agents (id),
  item_id BIGINT REFERENCES items (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  at_once INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'delivered', 'withdrawn')),
  run TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '',
  told_at TEXT NOT NULL,
  delivered_at TEXT
);

CREATE INDEX messages_waiting ON messages (agent_id) WHERE state IN ('waiting', 'sent');

CREATE INDEX messages_run ON messages (run);

CREATE INDEX messages_item ON messages (item_id);

CREATE TABLE seats (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  client TEXT NOT NULL,
  conversation TEXT NOT NULL DEFAULT '',
  host TEXT NOT NULL,
  pid BIGINT NOT NULL DEFAULT 0,
  mark TEXT NOT NULL DEFAULT '',
  taken_at TEXT NOT NULL,
  ended_at TEXT
);

CREATE INDEX seats_host ON seats (host, conversation);

CREATE TABLE pull_handed (
  id INTEGER PRIMARY KEY,
  pull_id BIGINT NOT NULL REFERENCES pull_requests (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('checks', 'conflict', 'comment', 'merge', 'gave up')),
  subject TEXT NOT NULL,
  head_oid TEXT NOT NULL DEFAULT '',
  handed_at TEXT NOT NULL
);

CREATE UNIQUE INDEX pull_handed_subject ON pull_handed (pull_id, kind, subject);

CREATE INDEX worktrees_folder ON worktrees (path);

CREATE INDEX item_history_status ON item_history (at) WHERE field = 'status';

CREATE INDEX attempts_ended ON attempts (ended_at);

