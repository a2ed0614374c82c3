-- What agents asked a person for permission while they worked. `call` is the tool's call whole, `rules` the
-- narrowest rules that would allow it, one a line. host, pid and mark name the process that waits for the
-- answer: without it there is nothing to answer. `until` is when it waits no longer.

-- agit/internal/run/question ---------------------------------------------------
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
