-- Gates that need not run twice, trials of everything together, and landings in batches.

-- agit/internal/land ---------------------------------------------------------

-- For the process that lands a batch: what a landing of another process was asked with.
-- gate_key stands for the commands of the gate and the environment they get; identity is
-- who writes the commit. batch is the landing that takes this one along, 0 for none, and
-- outcome what that has to tell its process (JSON), '' for nothing yet.
ALTER TABLE landings ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE landings ADD COLUMN keep_task INTEGER NOT NULL DEFAULT 0;
ALTER TABLE landings ADD COLUMN identity TEXT NOT NULL DEFAULT '';
ALTER TABLE landings ADD COLUMN gate_key TEXT NOT NULL DEFAULT '';
ALTER TABLE landings ADD COLUMN batch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE landings ADD COLUMN outcome TEXT NOT NULL DEFAULT '';

-- agit/internal/land/verdict -------------------------------------------------

-- What a gate said of a tree. command, how and lines are of the command that failed.
CREATE TABLE gate_verdicts (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  repo_id BIGINT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  tree TEXT NOT NULL,
  gate_key TEXT NOT NULL,
  result TEXT NOT NULL CHECK (result IN ('passed', 'failed')),
  command TEXT NOT NULL DEFAULT '',
  how TEXT NOT NULL DEFAULT '',
  lines TEXT NOT NULL DEFAULT '',
  log TEXT NOT NULL DEFAULT '',
  took_ms BIGINT NOT NULL DEFAULT 0,
  tested_at TEXT NOT NULL
);
CREATE UNIQUE INDEX gate_verdicts_of ON gate_verdicts (repo_id, tree, gate_key);

-- agit/internal/land/trial ---------------------------------------------------

-- The last trial of each repository; detail is its JSON.
CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  repo_id BIGINT NOT NULL UNIQUE REFERENCES repos (id) ON DELETE CASCADE,
  detail TEXT NOT NULL,
  finished_at TEXT NOT NULL
);
