-- The program keeps the views now (views.go): SQLite parses all that the file keeps
-- whenever it is opened, and they took a fifth of that.

DROP VIEW agent_board;
DROP VIEW worktree_items;
DROP VIEW worktree_places;
DROP VIEW worktree_conflicts;
DROP VIEW items_in_review;
DROP VIEW session_times;
DROP VIEW item_sessions;
DROP VIEW open_sessions;
DROP VIEW memory_texts;
DROP VIEW memory_sources;
DROP VIEW memory_shelf;
DROP VIEW item_memories;
DROP VIEW halted_agents;
DROP VIEW agent_records;
DROP VIEW record_events;
DROP VIEW memory_trust;
DROP VIEW citation_verdicts;
DROP VIEW ticket_details;
DROP VIEW ticket_board;
DROP VIEW sprint_dates;
DROP VIEW item_criteria;
DROP VIEW project_sync;
