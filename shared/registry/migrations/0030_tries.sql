-- Several tries of one task, each by a client in a worktree of its own; one agent holds the claim for all. `number`
-- counts them from 1: the first has the worktree that the task's claim made. A try without a worktree was about to
-- get one. `why` is the reason of one that failed.

-- agit/internal/land/tries -----------------------------------------------------
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
