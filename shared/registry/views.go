package registry

import (
	"slices"
	"strings"
)

// Views returns a statement with the views that it names put before it, as what SQL
// calls common table expressions. Statements of a Tx have them already.
//
// SQLite parses all that a file keeps whenever it is opened, and 22 views took a fifth
// of that, in every command. So the program keeps them, and only the statement that
// reads a view pays for it.
func Views(statement string) string {
	var named []string
	for word := range strings.FieldsFuncSeq(statement, notInName) {
		if len(word) >= shortestView && views[word] != "" && !slices.Contains(named, word) {
			named = append(named, word)
		}
	}
	if len(named) == 0 {
		return statement
	}
	var s strings.Builder
	rest := strings.TrimLeft(statement, " \t\n")
	if after, ok := strings.CutPrefix(rest, explaining); ok {
		s.WriteString(explaining)
		rest = after
	}
	own := false
	for _, with := range []string{"WITH RECURSIVE ", "WITH "} {
		if after, ok := strings.CutPrefix(rest, with); ok {
			s.WriteString(with)
			rest, own = after, true
			break
		}
	}
	if !own {
		s.WriteString("WITH ")
	}
	for i, name := range named {
		if i > 0 {
			s.WriteString(", ")
		}
		// Each mention is planned with what stands around it, as a view's is.
		s.WriteString(name + " AS NOT MATERIALIZED (" + views[name] + ")")
	}
	if own {
		s.WriteByte(',')
	}
	s.WriteByte(' ')
	s.WriteString(rest)
	return s.String()
}

const explaining = "EXPLAIN QUERY PLAN "

// shortestView spares most words of a statement the look-up.
const shortestView = len("agent_board")

func notInName(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }

// views are the contracts by which packages read tables that they do not write, by
// name: each is kept by the program named above it.
var views = map[string]string{
	// agit
	"agent_board": `SELECT a.id,
		(SELECT i.ref FROM leases l JOIN items i ON i.id = l.item_id
		 WHERE l.agent_id = a.id ORDER BY l.claimed_at DESC LIMIT 1) AS current_task,
		(SELECT w.ref FROM worktrees w
		 WHERE w.agent_id = a.id AND w.status IN ('active', 'stale', 'conflict')
		 ORDER BY w.created_at DESC, w.id DESC LIMIT 1) AS current_worktree
		FROM agents a
		WHERE a.removed_at IS NULL`,
	"worktree_items": `SELECT r.host, w.path, w.item_id, i.project_id
		FROM worktrees w JOIN repos r ON r.id = w.repo_id JOIN items i ON i.id = w.item_id
		WHERE w.status IN ('active', 'stale', 'conflict') AND i.deleted_at IS NULL AND i.status NOT IN ('completed', 'failed')`,
	"worktree_places": `SELECT w.id, w.ref, r.project_id, r.host, w.path, w.branch, w.item_id, w.agent_id
		FROM worktrees w JOIN repos r ON r.id = w.repo_id
		WHERE w.status IN ('active', 'stale', 'conflict')`,
	"worktree_times": `SELECT w.item_id, w.path, w.ref, r.name AS repo, r.path AS main, r.host, COALESCE(i.ref, '') AS task, COALESCE(i.title, '') AS title,
		COALESCE(a.name, '') AS agent, w.created_at, w.finished_at
		FROM worktrees w JOIN repos r ON r.id = w.repo_id LEFT JOIN items i ON i.id = w.item_id LEFT JOIN agents a ON a.id = w.agent_id`,
	"claim_times": `SELECT h.item_id, a.name AS agent, i.ref AS task, i.title, h.at AS claimed_at,
		(SELECT MIN(e.at) FROM item_history e WHERE e.item_id = h.item_id AND e.id > h.id AND e.field = 'status' AND e.new <> 'in_progress') AS ended_at
		FROM item_history h JOIN items i ON i.id = h.item_id JOIN agents a ON a.id = h.agent_id
		WHERE h.field = 'status' AND h.new = 'claimed'`,
	"attempt_costs": `SELECT t.id, t.item_id, t.client, t.session, t.host, t.started_at, t.ended_at, t.tokens_in, t.tokens_out, t.tokens_cached, t.cost, t.currency,
		t.computed, t.model, t.turns, i.ref AS task, i.title, i.project_id, a.name AS agent, COALESCE(w.path, '') AS path
		FROM attempts t JOIN items i ON i.id = t.item_id JOIN agents a ON a.id = t.agent_id LEFT JOIN worktrees w ON w.id = t.worktree_id`,
	"session_places": `SELECT s.repo_id, s.host, s.folder, s.agent_id, a.name AS agent, s.session, s.state, s.said_at
		FROM agent_states s JOIN agents a ON a.id = s.agent_id
		WHERE s.state <> 'gone' AND s.folder <> '' AND a.removed_at IS NULL`,
	"worktree_conflicts": `SELECT p.a_id AS worktree_id, o.ref, COALESCE(a.name, '') AS agent, p.path, p.depth, p.detail
		FROM conflict_pairs p JOIN worktrees o ON o.id = p.b_id LEFT JOIN agents a ON a.id = o.agent_id
		UNION ALL
		SELECT p.b_id, o.ref, COALESCE(a.name, ''), p.path, p.depth, p.detail
		FROM conflict_pairs p JOIN worktrees o ON o.id = p.a_id LEFT JOIN agents a ON a.id = o.agent_id`,
	"items_in_review": `SELECT r.item_id, r.id AS review_id, w.ref AS worktree, r.asked_at
		FROM reviews r JOIN worktrees w ON w.id = r.worktree_id
		WHERE r.state = 'waiting' AND r.item_id IS NOT NULL AND w.status NOT IN ('completed', 'trashed')`,

	"worktrees_in_review": `SELECT r.worktree_id, r.tip_oid, r.asked_at
		FROM reviews r JOIN worktrees w ON w.id = r.worktree_id
		WHERE r.state = 'waiting' AND w.status NOT IN ('completed', 'trashed')`,

	// memoryd
	"session_times": `SELECT s.id, s.project_id, s.ref, COALESCE(a.name, '') AS agent, COALESCE(i.ref, '') AS item, COALESCE(i.title, '') AS title, s.status,
		COALESCE(s.outcome, '') AS outcome, COALESCE(s.summary, '') AS summary, s.client, s.host, s.memories, s.started_at, s.last_event_at,
		COALESCE(s.ended_at, '') AS ended_at
		FROM sessions s LEFT JOIN agents a ON a.id = s.agent_id LEFT JOIN items i ON i.id = s.item_id`,
	"item_sessions": `SELECT s.item_id, s.ref, COALESCE(a.name, '') AS agent, s.status, COALESCE(s.outcome, '') AS outcome, COALESCE(s.summary, '') AS summary,
		s.started_at, COALESCE(s.ended_at, '') AS ended_at
		FROM sessions s LEFT JOIN agents a ON a.id = s.agent_id WHERE s.item_id IS NOT NULL`,
	"open_sessions": `SELECT ref, project_id, agent_id, item_id, host, folder, last_event_at FROM sessions WHERE status = 'active'`,
	"memory_texts": `SELECT id, uid, ref, project_id, type, key, title, content, content_hash, importance, confidence, updated_at
		FROM memories WHERE archived_at IS NULL AND superseded_by IS NULL`,
	"memory_sources": `SELECT m.id AS memory_id, m.project_id, c.position, c.path, c.line, c.snippet, c.oid, c.surroundings
		FROM memories m JOIN memory_citations c ON c.memory_id = m.id
		WHERE m.archived_at IS NULL AND m.superseded_by IS NULL`,
	"memory_shelf": `SELECT m.id, m.project_id, m.uid, m.ref, m.type, m.key, m.title, m.content, m.importance, m.confidence, m.used_at, m.used_count, m.updated_at,
		COALESCE(m.expires_at, '') AS expires_at, COALESCE(m.archived_at, '') AS archived_at, m.archived_why, COALESCE(a.name, '') AS agent
		FROM memories m LEFT JOIN agents a ON a.id = m.source_agent WHERE m.superseded_by IS NULL`,
	"item_memories": `SELECT mi.item_id, mi.ref_key, m.project_id, m.ref, m.type, m.title, m.content, m.importance, m.updated_at
		FROM memory_items mi JOIN memories m ON m.id = mi.memory_id
		WHERE m.archived_at IS NULL AND m.superseded_by IS NULL`,
	"halted_agents": `SELECT agent_id, sp, bugs, updated_at AS since FROM agent_scores WHERE halted = 1`,
	"agent_records": `SELECT s.agent_id, a.name, s.sp, s.xp_tenths, s.cs, s.commits, s.bugs, s.halted, s.updated_at
		FROM agent_scores s JOIN agents a ON a.id = s.agent_id WHERE a.removed_at IS NULL`,
	"record_events": `SELECT e.id, e.agent_id, e.project_id, e.kind, e.times, e.d_sp, e.d_xp_tenths, e.d_cs, e.note, e.oid, e.at FROM score_events e`,

	// citecheck
	"memory_trust": `SELECT d.project_id, d.doc_key AS memory_uid, d.state, d.confidence, d.content_hash, d.checked_at
		FROM cited_docs d WHERE d.source = 'registry'`,
	"citation_verdicts": `SELECT d.project_id, d.doc_key AS memory_uid, c.path, c.line, v.verdict, v.found_path, v.found_line, v.at
		FROM cited_docs d JOIN citations c ON c.doc_id = d.id JOIN verifications v ON v.citation_id = c.id
		WHERE d.source = 'registry'
		  AND v.id = (SELECT MAX(last.id) FROM verifications last WHERE last.citation_id = c.id)`,

	// pmsync
	"ticket_details": `SELECT t.item_id, t.provider, t.url, COALESCE(s.name, '') AS sprint,
		COALESCE((SELECT string_agg(l.label, ', ' ORDER BY l.label_key) FROM ticket_labels l WHERE l.item_id = t.item_id), '') AS labels,
		COALESCE(t.due_date, '') AS due_date, COALESCE(t.synced_at, '') AS synced_at
		FROM tickets t LEFT JOIN sprints s ON s.id = t.sprint_id`,
	// What was written to a ticket: at its tracker, or to one that is kept here.
	"ticket_words": `SELECT c.item_id, c.author, c.written_at AS at, c.body, c.url, c.id AS place FROM ticket_comments c
		UNION ALL SELECT h.item_id, COALESCE(a.name, ''), h.at, h.new, '', h.id FROM item_history h LEFT JOIN agents a ON a.id = h.agent_id WHERE h.field = 'comment'`,
	"ticket_board": `SELECT t.item_id, t.project_id, t.sprint_id, i.ref, i.title, i.status, t.status_category AS category, i.priority,
		CASE WHEN t.assignee_name <> '' THEN t.assignee_name ELSE t.assignee END AS assignee, t.item_type, t.url, COALESCE(t.due_date, '') AS due_date
		FROM tickets t JOIN items i ON i.id = t.item_id
		WHERE t.gone_at IS NULL AND t.archived_at IS NULL AND i.deleted_at IS NULL AND t.item_type IN ('ticket', 'subtask')`,
	"sprint_dates": `SELECT s.id, s.project_id, s.name, s.status, s.goal, COALESCE(s.starts_at, '') AS starts_at, COALESCE(s.ends_at, '') AS ends_at
		FROM sprints s WHERE s.gone_at IS NULL`,
	"item_criteria": `SELECT item_id, position, uid, ref, text, status, session_ref, changed_at FROM criteria WHERE gone_at IS NULL AND unsure = 0`,
	"project_sync": `SELECT t.project_id, t.provider, COALESCE(t.pulled_at, '') AS pulled_at,
		CASE WHEN t.offline_since IS NULL THEN 0 ELSE 1 END AS offline,
		(SELECT COUNT(*) FROM pending_changes c WHERE c.project_id = t.project_id AND c.status IN ('pending', 'sending', 'conflict')) AS pending,
		(SELECT COUNT(*) FROM sync_conflicts x WHERE x.project_id = t.project_id AND x.resolved_at IS NULL) AS conflicts,
		t.failure
		FROM trackers t`,
}
