-- Who made the folder of a worktree that agit did not make: a client, or git; '' where agit
-- made it. Such a folder is left to its maker.

-- agit/internal/worktree -----------------------------------------------------
ALTER TABLE worktrees ADD COLUMN made_by TEXT NOT NULL DEFAULT '';

-- The working tree in which a session is, which need not be a worktree of agit's; ''
-- where it is unknown.

-- agit/internal/agents/presence ----------------------------------------------
ALTER TABLE agent_states ADD COLUMN folder TEXT NOT NULL DEFAULT '';
