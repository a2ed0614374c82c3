-- Tickets, sprints, plans and acceptance criteria, and what keeps them in step
-- with a tracker. A ticket's title, text, status, priority and parent are those
-- of its row in items; an epic or a milestone of a tracker is an item of kind
-- 'epic', since neither is work by itself.

-- shared/work ----------------------------------------------------------------

-- Under which names the user of this registry is known in a project: work that is
-- assigned to one of them is assigned to the user. name_key is folded, as
-- items.assignee is.
CREATE TABLE own_names (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name_key TEXT NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'user' CHECK (source IN ('user', 'tracker')),
  PRIMARY KEY (project_id, name_key)
);

-- pmsync/internal/sprint -----------------------------------------------------

-- remote_id is the tracker's own id, which never changes; of what was made here
-- it is the uid.
CREATE TABLE sprints (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  provider TEXT NOT NULL CHECK (provider IN ('local', 'linear', 'jira', 'asana', 'azure_devops')),
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
);
CREATE UNIQUE INDEX sprints_remote ON sprints (project_id, provider, remote_id);
CREATE INDEX sprints_status ON sprints (project_id, status, starts_at);
CREATE INDEX sprints_name ON sprints (project_id, name_key);

-- pmsync/internal/ticket -----------------------------------------------------

-- `items.ref` is the key that people type (SEM-123); it may change, remote_id may
-- not. `body` is the description as the tracker has it, in body_format, NULL when
-- items.description is that; `criteria_body` is the tracker's own field for
-- acceptance criteria. `parsed_hash` is of the text that criteria were last looked
-- for in. gone_at: no longer at the tracker (deleted, or out of sight); archived_at
-- is the tracker's own word.
CREATE TABLE tickets (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  provider TEXT NOT NULL CHECK (provider IN ('local', 'linear', 'jira', 'asana', 'azure_devops')),
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
);
CREATE UNIQUE INDEX tickets_remote ON tickets (project_id, provider, remote_id);
CREATE INDEX tickets_sprint ON tickets (sprint_id) WHERE sprint_id IS NOT NULL;
CREATE INDEX tickets_epic ON tickets (epic_id) WHERE epic_id IS NOT NULL;
CREATE INDEX tickets_milestone ON tickets (milestone_id) WHERE milestone_id IS NOT NULL;
CREATE INDEX tickets_type ON tickets (project_id, item_type, status_category);
CREATE INDEX tickets_assignee ON tickets (project_id, assignee) WHERE assignee <> '';
CREATE INDEX tickets_updated ON tickets (project_id, updated_at_provider);

-- remote_id is the tracker's id of a label, where labels have one.
CREATE TABLE ticket_labels (
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  label_key TEXT NOT NULL,
  label TEXT NOT NULL,
  remote_id TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (item_id, label_key)
);
CREATE INDEX ticket_labels_by ON ticket_labels (label_key, item_id);

-- What a tracker says two tickets are to each other. target_id is NULL while the
-- other one is not here; a link between two that are is a row in dependencies too.
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

-- Keys that a ticket had before it was moved, by which it is still found.
CREATE TABLE ticket_keys (
  item_id BIGINT NOT NULL REFERENCES tickets (item_id) ON DELETE CASCADE,
  key_key TEXT NOT NULL,
  key TEXT NOT NULL,
  until TEXT NOT NULL,
  PRIMARY KEY (item_id, key_key)
);
CREATE INDEX ticket_keys_by ON ticket_keys (key_key);

-- pmsync/internal/plan -------------------------------------------------------

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

-- pmsync/internal/criteria ---------------------------------------------------

-- session_ref is the session in which the status was last set. A criterion that a
-- ticket's text no longer holds keeps its row with gone_at, and so its evidence.
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
);
CREATE INDEX criteria_item ON criteria (item_id, position);
CREATE INDEX criteria_session ON criteria (session_ref) WHERE session_ref <> '';

-- found is what looking for it said: '' not looked for, 'yes' or 'no'.
CREATE TABLE criterion_evidence (
  criterion_id BIGINT NOT NULL REFERENCES criteria (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'test', 'commit', 'screenshot')),
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  found TEXT NOT NULL DEFAULT '' CHECK (found IN ('', 'yes', 'no')),
  PRIMARY KEY (criterion_id, kind, position)
);

-- pmsync/internal/outbox -----------------------------------------------------

-- Changes on their way to a tracker, in order per ticket. `base` is the value that
-- the tracker had when the change was made; `client_id` is a UUID by which a
-- tracker, or a look at it, tells a change that was sent already. A row is
-- 'sending' from before the request until its answer is stored.
CREATE TABLE pending_changes (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  item_id BIGINT NOT NULL REFERENCES items (id),
  change_type TEXT NOT NULL CHECK (change_type IN ('status', 'assignee', 'priority', 'labels', 'comment', 'create')),
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
);
CREATE INDEX pending_changes_queue ON pending_changes (project_id, status, id);
CREATE INDEX pending_changes_item ON pending_changes (item_id, id);

-- pmsync/internal/sync -------------------------------------------------------

-- A project's tracker: what was last heard of it, and who pulls right now
-- (lease_*). viewer_* is the account that the credentials belong to.
CREATE TABLE trackers (
  project_id BIGINT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  provider TEXT NOT NULL CHECK (provider IN ('linear', 'jira', 'asana', 'azure_devops')),
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
);

-- The statuses that a tracker has, and which of them tickets of a type may take,
-- as far as it was learned, so that a status can be checked offline. The scope of
-- a transition is the tracker's own type of ticket.
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

-- A field that both sides changed. resolution says how it was settled; 'provider'
-- is the table's own answer, kept here with the value that lost.
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

-- How far each stream of a pull (tickets, archived, sprints, …) has come. The
-- watermark moves when a window is drained; window_end and cursor are of the one
-- being drained.
CREATE TABLE sync_state (
  project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  stream TEXT NOT NULL,
  watermark TEXT NOT NULL DEFAULT '',
  window_end TEXT NOT NULL DEFAULT '',
  cursor TEXT NOT NULL DEFAULT '',
  updated_at TEXT NOT NULL,
  PRIMARY KEY (project_id, stream)
);

-- Items that could not be stored, kept for another try.
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

-- Reading contracts: what sessions read of tickets ----------------------------

DROP VIEW ticket_details;
CREATE VIEW ticket_details AS
SELECT t.item_id, t.provider, t.url, COALESCE(s.name, '') AS sprint,
  COALESCE((SELECT string_agg(l.label, ', ' ORDER BY l.label_key) FROM ticket_labels l WHERE l.item_id = t.item_id), '') AS labels,
  COALESCE(t.due_date, '') AS due_date, COALESCE(t.synced_at, '') AS synced_at
FROM tickets t LEFT JOIN sprints s ON s.id = t.sprint_id;

DROP VIEW item_criteria;
CREATE VIEW item_criteria AS
SELECT item_id, position, uid, ref, text, status, session_ref, changed_at FROM criteria WHERE gone_at IS NULL;

DROP VIEW project_sync;
CREATE VIEW project_sync AS
SELECT t.project_id, t.provider, COALESCE(t.pulled_at, '') AS pulled_at,
  CASE WHEN t.offline_since IS NULL THEN 0 ELSE 1 END AS offline,
  (SELECT COUNT(*) FROM pending_changes c WHERE c.project_id = t.project_id AND c.status IN ('pending', 'sending', 'conflict')) AS pending,
  (SELECT COUNT(*) FROM sync_conflicts x WHERE x.project_id = t.project_id AND x.resolved_at IS NULL) AS conflicts,
  t.failure
FROM trackers t;

-- Reading contracts: what tickets show of sessions and memories ----------------

CREATE VIEW item_memories AS
SELECT mi.item_id, mi.ref_key, m.project_id, m.ref, m.type, m.title, m.content, m.importance, m.updated_at
FROM memory_items mi JOIN memories m ON m.id = mi.memory_id
WHERE m.archived_at IS NULL AND m.superseded_by IS NULL;

CREATE VIEW item_sessions AS
SELECT s.item_id, s.ref, COALESCE(a.name, '') AS agent, s.status, COALESCE(s.outcome, '') AS outcome, COALESCE(s.summary, '') AS summary,
  s.started_at, COALESCE(s.ended_at, '') AS ended_at
FROM sessions s LEFT JOIN agents a ON a.id = s.agent_id WHERE s.item_id IS NOT NULL;

CREATE VIEW open_sessions AS
SELECT ref, project_id, agent_id, item_id, last_event_at FROM sessions WHERE status = 'active';
