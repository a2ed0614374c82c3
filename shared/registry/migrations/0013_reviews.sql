-- Finished work that waits for a person, and what became of it.

-- agit/internal/review -------------------------------------------------------

-- One review of a worktree waits at a time. tip_oid is the commit that was shown
-- for review, onto_oid the default branch's that it was tried on; gate says how the
-- commands of the gate judged the two together. `why` is what a return says to
-- whoever goes on.
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  worktree_id BIGINT NOT NULL REFERENCES worktrees (id),
  item_id BIGINT REFERENCES items (id),
  agent_id BIGINT REFERENCES agents (id),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'accepted', 'returned', 'withdrawn')),
  tip_oid TEXT NOT NULL,
  onto_oid TEXT NOT NULL DEFAULT '',
  merged_oid TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL DEFAULT '',
  gate TEXT NOT NULL DEFAULT '' CHECK (gate IN ('', 'passed')),
  gate_log TEXT NOT NULL DEFAULT '',
  files INTEGER NOT NULL DEFAULT 0,
  insertions INTEGER NOT NULL DEFAULT 0,
  deletions INTEGER NOT NULL DEFAULT 0,
  asked_at TEXT NOT NULL,
  decided_at TEXT,
  decided_by TEXT NOT NULL DEFAULT '',
  why TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX reviews_waiting ON reviews (worktree_id) WHERE state = 'waiting';
CREATE INDEX reviews_worktree ON reviews (worktree_id, id);
CREATE INDEX reviews_item ON reviews (item_id, id) WHERE item_id IS NOT NULL;
CREATE INDEX reviews_state ON reviews (state, decided_at);

-- Reading contracts ----------------------------------------------------------

-- The items whose work waits for a review. No agent is offered one of them, however
-- long its own is silent. A worktree that was merged or removed meanwhile waits no
-- longer.
CREATE VIEW items_in_review AS
SELECT r.item_id, r.id AS review_id, w.ref AS worktree, r.asked_at
FROM reviews r JOIN worktrees w ON w.id = r.worktree_id
WHERE r.state = 'waiting' AND r.item_id IS NOT NULL AND w.status NOT IN ('completed', 'trashed');
