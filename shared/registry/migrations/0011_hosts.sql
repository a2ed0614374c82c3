-- Names, ports and folders are a host's; projects and their tasks are everybody's.

-- agit/internal/repo ---------------------------------------------------------

DROP INDEX repos_name;
CREATE UNIQUE INDEX repos_name ON repos (name_key, host) WHERE removed_at IS NULL;

-- agit/internal/worktree -----------------------------------------------------

-- The host of the worktree's repository, which the index of ports needs.
ALTER TABLE worktrees ADD COLUMN host TEXT NOT NULL DEFAULT '';
UPDATE worktrees SET host = (SELECT repos.host FROM repos WHERE repos.id = worktrees.repo_id);
DROP INDEX worktrees_port;
CREATE UNIQUE INDEX worktrees_port ON worktrees (host, port)
  WHERE port IS NOT NULL AND status NOT IN ('completed', 'trashed');
