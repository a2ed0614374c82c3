-- What people told agents. A message waits until a run takes it (sent), and is delivered once it was written to
-- the agent; one of a run that ended in between waits again. `session` is the client's session that has it, so
-- that a later session without it can be told. item_id is the task that the agent was at.

-- agit/internal/run/message ----------------------------------------------------
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
