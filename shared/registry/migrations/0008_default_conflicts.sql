-- What would conflict with the default branch, a line a file: those who watch are
-- told when it changes.
ALTER TABLE worktree_scans ADD COLUMN default_conflicts TEXT NOT NULL DEFAULT '';
