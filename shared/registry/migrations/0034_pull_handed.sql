-- What a forge said of a pull request and its agent was given, so that each is given once.

-- agit/internal/land/forge -----------------------------------------------------

-- `subject` is the pushed commit of failed checks and of a conflict, and the forge's id of a comment. 'merge' is a
-- pushed commit that the forge was told to merge by itself; 'gave up' ends the rounds that count before it.
CREATE TABLE pull_handed (
  id INTEGER PRIMARY KEY,
  pull_id BIGINT NOT NULL REFERENCES pull_requests (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('checks', 'conflict', 'comment', 'merge', 'gave up')),
  subject TEXT NOT NULL,
  head_oid TEXT NOT NULL DEFAULT '',
  handed_at TEXT NOT NULL
);
CREATE UNIQUE INDEX pull_handed_subject ON pull_handed (pull_id, kind, subject);
