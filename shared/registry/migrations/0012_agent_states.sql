-- agit/internal/presence -----------------------------------------------------

-- What was said last of each session of an agent on a host, by its client's hooks
-- or by `agit work`. `since` is when the state began, `said_at` when it was last
-- confirmed, `quiet_until` until when silence is expected, `asked` the call that a
-- person is asked about.
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
);
CREATE UNIQUE INDEX agent_states_session ON agent_states (agent_id, host, session);
CREATE INDEX agent_states_repo ON agent_states (repo_id, said_at) WHERE repo_id IS NOT NULL;
CREATE INDEX agent_states_worktree ON agent_states (worktree_id) WHERE worktree_id IS NOT NULL;

-- agit/internal/forge --------------------------------------------------------

-- The pull request of a worktree's branch, as its forge said last.
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
