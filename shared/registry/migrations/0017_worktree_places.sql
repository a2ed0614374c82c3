-- Reading contracts ----------------------------------------------------------

-- Where the work on each item is done, and whose worktree it is.
CREATE VIEW worktree_places AS
SELECT w.id, w.ref, r.project_id, r.host, w.path, w.branch, w.item_id, w.agent_id
FROM worktrees w JOIN repos r ON r.id = w.repo_id
WHERE w.status IN ('active', 'stale', 'conflict');

-- With which other worktrees each one was seen to collide, and in which files.
CREATE VIEW worktree_conflicts AS
SELECT p.a_id AS worktree_id, o.ref, COALESCE(a.name, '') AS agent, p.path, p.depth, p.detail
FROM conflict_pairs p JOIN worktrees o ON o.id = p.b_id LEFT JOIN agents a ON a.id = o.agent_id
UNION ALL
SELECT p.b_id, o.ref, COALESCE(a.name, ''), p.path, p.depth, p.detail
FROM conflict_pairs p JOIN worktrees o ON o.id = p.a_id LEFT JOIN agents a ON a.id = o.agent_id;
CREATE INDEX conflict_pairs_b ON conflict_pairs (b_id);
