-- What screens show of sessions, memories, tickets and records: reading contracts,
-- so that no screen knows another binary's tables.

CREATE VIEW session_times AS
SELECT s.id, s.project_id, s.ref, COALESCE(a.name, '') AS agent, COALESCE(i.ref, '') AS item, COALESCE(i.title, '') AS title, s.status,
  COALESCE(s.outcome, '') AS outcome, COALESCE(s.summary, '') AS summary, s.client, s.memories, s.started_at, s.last_event_at,
  COALESCE(s.ended_at, '') AS ended_at
FROM sessions s LEFT JOIN agents a ON a.id = s.agent_id LEFT JOIN items i ON i.id = s.item_id;

CREATE VIEW memory_shelf AS
SELECT m.id, m.project_id, m.uid, m.ref, m.type, m.key, m.title, m.content, m.importance, m.confidence, m.used_at, m.used_count, m.updated_at,
  COALESCE(m.expires_at, '') AS expires_at, COALESCE(m.archived_at, '') AS archived_at, m.archived_why, COALESCE(a.name, '') AS agent
FROM memories m LEFT JOIN agents a ON a.id = m.source_agent WHERE m.superseded_by IS NULL;

CREATE VIEW sprint_dates AS
SELECT s.id, s.project_id, s.name, s.status, s.goal, COALESCE(s.starts_at, '') AS starts_at, COALESCE(s.ends_at, '') AS ends_at
FROM sprints s WHERE s.gone_at IS NULL;

CREATE VIEW ticket_board AS
SELECT t.item_id, t.project_id, t.sprint_id, i.ref, i.title, i.status, t.status_category AS category, i.priority,
  CASE WHEN t.assignee_name <> '' THEN t.assignee_name ELSE t.assignee END AS assignee, t.item_type, t.url, COALESCE(t.due_date, '') AS due_date
FROM tickets t JOIN items i ON i.id = t.item_id
WHERE t.gone_at IS NULL AND t.archived_at IS NULL AND i.deleted_at IS NULL AND t.item_type IN ('ticket', 'subtask');

CREATE VIEW agent_records AS
SELECT s.agent_id, a.name, s.sp, s.xp_tenths, s.cs, s.commits, s.bugs, s.halted, s.updated_at
FROM agent_scores s JOIN agents a ON a.id = s.agent_id WHERE a.removed_at IS NULL;

CREATE VIEW record_events AS
SELECT e.id, e.agent_id, e.project_id, e.kind, e.times, e.d_sp, e.d_xp_tenths, e.d_cs, e.note, e.oid, e.at FROM score_events e;
