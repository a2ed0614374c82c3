-- What waits for what, and the project knowledge graph: epics, bugs, test
-- scenarios and artifacts beside the tasks. Relationships that a row already
-- says are not stored again: containment is items.parent_id, origin is
-- items.origin_id, who did what is item_history.

-- shared/work ----------------------------------------------------------------

-- `blocks`: the target waits for the source. A bug that blocks a task is such a
-- row, and stays as history once the bug is resolved.
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

-- The queue over all projects, as items_ready is that of one.
CREATE INDEX items_queue ON items (priority DESC, created_at, id)
  WHERE state = 'open' AND holds = 0 AND deleted_at IS NULL;

-- agit/internal/graph --------------------------------------------------------

-- An epic's status follows its tasks unless it was set by hand.
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

-- (Task)-[:VALIDATES]->(TestScenario)
CREATE TABLE scenario_tasks (
  scenario_id BIGINT NOT NULL REFERENCES scenarios (item_id) ON DELETE CASCADE,
  task_id BIGINT NOT NULL REFERENCES items (id),
  PRIMARY KEY (task_id, scenario_id)
);
CREATE INDEX scenario_tasks_scenario ON scenario_tasks (scenario_id);
