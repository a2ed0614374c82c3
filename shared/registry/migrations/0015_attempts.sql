-- agit/internal/unattended ---------------------------------------------------

-- One run of an agent's client on a task by `agit work`. `run` is its id, which the
-- client's processes have in their environment; host, pid and mark name the
-- process of `agit work`, child_* the client's. An attempt that is running and
-- whose process is gone was lost; the next start notices.
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
);
CREATE INDEX attempts_item ON attempts (item_id, id);
CREATE INDEX attempts_running ON attempts (host, agent_id) WHERE state = 'running';
CREATE INDEX attempts_worktree ON attempts (worktree_id, id) WHERE worktree_id IS NOT NULL;
