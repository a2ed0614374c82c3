-- shared/work ----------------------------------------------------------------

-- Work that a person holds back, beside what bugs block. It counts in
-- items.holds like a blocker.
CREATE TABLE item_holds (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  agent_id BIGINT REFERENCES agents (id),
  why TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
);
