-- Which agent a client's conversation is, where no agent is named: hooks and MCP servers that one client starts find each
-- other by the client's process. `name` is the agent's, which may not be registered yet. A seat whose conversation ended, or whose process did, is free, and so is its name.

-- shared/agent/seat ------------------------------------------------------------
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
