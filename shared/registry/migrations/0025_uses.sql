-- A pair of worktrees that git merges, and in which one uses what the other removed or
-- changed, has the depth uses. The rows are those of the last scan, which the next one
-- writes again.

-- agit/internal/conflict ------------------------------------------------------
DROP TABLE conflict_pairs;
CREATE TABLE conflict_pairs (
  repo_id BIGINT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  a_id BIGINT NOT NULL REFERENCES worktrees (id) ON DELETE CASCADE,
  b_id BIGINT NOT NULL REFERENCES worktrees (id) ON DELETE CASCADE,
  depth TEXT NOT NULL CHECK (depth IN ('file', 'lines', 'uses', 'merge')),
  path TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  found_at TEXT NOT NULL,
  PRIMARY KEY (a_id, b_id, path)
);
CREATE INDEX conflict_pairs_repo ON conflict_pairs (repo_id);
