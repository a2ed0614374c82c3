-- Costs of a time and of some folders are read without all that was ever done.

CREATE INDEX worktrees_folder ON worktrees (path);
CREATE INDEX item_history_status ON item_history (at) WHERE field = 'status';
CREATE INDEX attempts_ended ON attempts (ended_at);
