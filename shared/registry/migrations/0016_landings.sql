-- agit/internal/land -----------------------------------------------------------

-- What was asked to land, and what came of it. Those with a gate wait for each
-- other in the order of their ids, repository by repository. `process` is the
-- announcement of the process that lands it: when that is gone, no one does.
-- `gate` is a JSON list of commands, '' for none; tested_tree is what passed it.
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
);
CREATE UNIQUE INDEX landings_one ON landings (worktree_id) WHERE state IN ('queued', 'running');
CREATE INDEX landings_queue ON landings (repo_id, id) WHERE state IN ('queued', 'running');
CREATE INDEX landings_worktree ON landings (worktree_id, id);
