-- Reading contracts ----------------------------------------------------------

-- The item that is worked on in each folder where a worktree stands.
CREATE VIEW worktree_items AS
SELECT r.host, w.path, w.item_id, i.project_id
FROM worktrees w JOIN repos r ON r.id = w.repo_id JOIN items i ON i.id = w.item_id
WHERE w.status IN ('active', 'stale', 'conflict') AND i.deleted_at IS NULL AND i.status NOT IN ('completed', 'failed');
