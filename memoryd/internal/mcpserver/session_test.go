package mcpserver

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
)

// holds checks that an answer names every field, whether or not it has a value.
func (w *recordWorld) holds(answer object, fields string) {
	w.t.Helper()
	for field := range strings.FieldsSeq(fields) {
		if _, ok := answer[field]; !ok {
			w.t.Errorf("no %s in %v", field, answer)
		}
	}
}

func TestSessionStart(t *testing.T) {
	w := newRecordWorld(t)
	d := w.call("session_start", object{"project_path": w.repo.Dir, "agent": "ann"})
	w.holds(d, "session_id status new started_at project warnings external_item acceptance_criteria blocking_items recent_memory last_session_summary sync_status booked_on")
	w.has(d, object{"new": true, "status": "active", "booked_on.agent": "ann", "project.name": "repo", "external_item": nil, "last_session_summary": nil, "sync_status.state": "none"})
	id := d["session_id"]

	// Later calls use the session's agent and project; the open session is returned again.
	again := w.call("session_start", object{})
	w.has(again, object{"new": false, "session_id": id, "booked_on.agent": "ann"})
	w.has(w.call("memory_store", object{"key": "k", "content": "the port of the test server is 4711", "memory_type": "pattern"}), object{"booked_on.agent": "ann"})
	w.has(w.call("memory_recall", object{"id": "k"})["memories"].([]any)[0].(object), object{"source_session_id": id})

	other := w.call("session_start", object{"agent": "bob"})
	w.has(other, object{"new": true, "booked_on.agent": "bob"})
	w.fails("session_start", "NotFoundError", "", object{"external_item_id": "SEM-1"})
	w.fails("session_start", "ValidationError", "budget", object{"budget": 10})
	w.fails("session_start", "ValidationError", "agent", object{"agent": "two\nlines"})
	w.fails("session_start", "NotFoundError", "", object{"project_path": "nowhere"})

	// An ended session can be resumed by its id, once.
	w.call("session_end", object{"session_id": id})
	next := w.call("session_start", object{"agent": "ann", "resume": id})
	w.has(next, object{"new": true, "parent_session_id": id, "resumed_from.session_id": id})
	w.call("session_end", object{"session_id": next["session_id"]})
	w.fails("session_start", "ConflictError", "", object{"agent": "ann", "resume": id})
	w.fails("session_start", "ConflictError", "", object{"agent": "ann", "resume": other["session_id"]})
	w.fails("session_start", "NotFoundError", "", object{"agent": "ann", "resume": "s-0"})

	fresh := w.call("session_start", object{"agent": "cid", "resume_last": true})
	if warned, _ := fresh["warnings"].([]any); len(warned) != 1 {
		t.Errorf("nothing to resume: %v", fresh["warnings"])
	}
}

// A warning never names a command.
func TestSessionWarningsSpeakOfTools(t *testing.T) {
	w := newRecordWorld(t)
	left := w.call("session_start", object{"agent": "ann"})["session_id"].(string)
	if err := w.stores.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE sessions SET started_at = ?, last_event_at = ?`, "2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05.000Z")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	warned := w.call("session_start", object{"agent": "bob"})["warnings"].([]any)
	if len(warned) != 1 || !strings.HasSuffix(warned[0].(string), "; session_start with resume "+left+" goes on from it") {
		t.Errorf("warned of %v", warned)
	}
}

func TestSessionNote(t *testing.T) {
	w := newRecordWorld(t)
	id := w.call("session_start", object{"project_path": w.repo.Dir, "agent": "ann"})["session_id"]
	for n, kind := range []string{"decision", "discovery", "progress", "blocker", "note", "error"} {
		noted := w.call("session_note", object{"session_id": id, "event_type": kind, "content": "about " + kind, "importance": []string{"low", "medium", "high"}[n%3],
			"context": object{"files": []string{"a.go"}, "symbols": []string{"F"}, "related_items": []string{"SEM-1"}, "code_snippet": "x := 1"}})
		w.holds(noted, "event_id booked_on")
		w.has(noted, object{"session_id": id, "event_type": kind, "events_count": n + 1, "booked_on.agent": "ann"})
	}
	w.has(w.call("session_note", object{"session_id": strings.ToUpper(id.(string)), "event_type": "note", "content": "a token ghp_abcdefghijklmnopqrstuvwxyz0123456789"}), object{"redacted": 1})
	c := w.call("get_session_context", object{"session_id": id})
	first := c["events"].([]any)[0].(object)
	w.has(first, object{"event_type": "decision", "importance": "low", "content": "about decision", "context.code_snippet": "x := 1"})
	last := c["events"].([]any)[6].(object)
	w.has(last, object{"importance": "medium"})
	if strings.Contains(last["content"].(string), "ghp_") {
		t.Errorf("a secret is kept: %v", last)
	}
	w.fails("session_note", "ValidationError", "event_type", object{"session_id": id, "event_type": "summary", "content": "x"})
	w.fails("session_note", "ValidationError", "content", object{"session_id": id, "event_type": "note", "content": " "})
	w.fails("session_note", "NotFoundError", "", object{"session_id": "s-0", "event_type": "note", "content": "x"})
}

func TestSessionEnd(t *testing.T) {
	w := newRecordWorld(t)
	id := w.call("session_start", object{"project_path": w.repo.Dir, "agent": "ann"})["session_id"]
	w.repo.Write("b.txt", "b\n")
	w.repo.Commit("add b", "b.txt")
	w.call("session_note", object{"session_id": id, "event_type": "decision", "content": "the cache is keyed by content, not by path"})
	w.call("session_note", object{"session_id": id, "event_type": "progress", "content": "wrote the cache", "importance": "low"})
	e := w.call("session_end", object{"session_id": id, "outcome": "partial", "outcome_notes": "eviction is missing"})
	w.holds(e, "duration_seconds events_count memories_created ac_verified ac_failed changes_pushed summary")
	w.has(e, object{"status": "completed", "outcome": "partial", "events_count": 2, "memories_created": 1, "ac_verified": 0, "ac_failed": 0,
		"changes_pushed": 0, "files_count": 1, "commits_count": 1, "booked_on.agent": "ann"})
	if s := e["summary"].(string); !strings.Contains(s, "keyed by content") || !strings.Contains(s, "1 decision, 1 step") {
		t.Errorf("the summary is %q", s)
	}
	w.fails("session_end", "ConflictError", "", object{"session_id": id})
	w.fails("session_note", "ConflictError", "", object{"session_id": id, "event_type": "note", "content": "late"})
	w.fails("session_end", "ValidationError", "outcome", object{"session_id": id, "outcome": "fine"})
	next := w.call("session_start", object{"agent": "ann"})
	w.has(next, object{"last_session_summary": e["summary"], "last_session_id": id})
	given := w.call("session_end", object{"session_id": next["session_id"], "summary": "nothing happened"})
	w.has(given, object{"summary": "nothing happened", "outcome": "success", "events_count": 0})
}

func TestGetSessionContext(t *testing.T) {
	w := newRecordWorld(t)
	id := w.call("session_start", object{"project_path": w.repo.Dir, "agent": "ann"})["session_id"]
	w.call("memory_store", object{"key": "k", "content": "the port of the test server is 4711", "memory_type": "warning", "importance": 5})
	for _, content := range []string{"one", "two", "three"} {
		w.call("session_note", object{"session_id": id, "event_type": "note", "content": content})
	}
	c := w.call("get_session_context", object{"session_id": id})
	w.holds(c, "session events memory acceptance_criteria blocking_items pending_changes files_modified commits_made external_item")
	w.has(c, object{"session.status": "active", "session.events_count": 3, "pending_changes": 0})
	if len(c["events"].([]any)) != 3 || len(c["memory"].([]any)) != 1 {
		t.Errorf("got %v", c)
	}
	c = w.call("get_session_context", object{"session_id": id, "include_events": false, "include_memory": false, "include_ac": false})
	if len(c["events"].([]any)) != 0 || len(c["memory"].([]any)) != 0 {
		t.Errorf("left out: %v", c)
	}
	c = w.call("get_session_context", object{"session_id": id, "events_limit": 1})
	w.has(c["events"].([]any)[0].(object), object{"content": "three"})
	w.has(c, object{"earlier_events": 2})
	w.fails("get_session_context", "NotFoundError", "", object{"session_id": "s-0"})
	w.fails("get_session_context", "ValidationError", "events_limit", object{"session_id": id, "events_limit": 0})
}

func TestListSessions(t *testing.T) {
	w := newRecordWorld(t)
	w.has(w.call("list_sessions", object{}), object{"total": 0})
	for _, name := range []string{"ann", "bob", "cid"} {
		d := w.call("session_start", object{"agent": name})
		if name != "cid" {
			w.call("session_end", object{"session_id": d["session_id"], "outcome": "failed", "outcome_notes": "no network"})
		}
	}
	l := w.call("list_sessions", object{"limit": 2})
	w.has(l, object{"total": 3, "next_offset": 2})
	w.has(l["sessions"].([]any)[0].(object), object{"agent": "cid", "status": "active"})
	second := l["sessions"].([]any)[1].(object)
	w.has(second, object{"agent": "bob", "outcome": "failed", "outcome_notes": "no network"})
	w.holds(second, "session_id project_id started_at ended_at duration_seconds events_count memories_created")
	w.has(w.call("list_sessions", object{"status": "completed", "offset": 1})["sessions"].([]any)[0].(object), object{"agent": "ann"})
	l = w.call("list_sessions", object{"agent": "BOB"})
	w.has(l, object{"total": 1})
	w.has(l["sessions"].([]any)[0].(object), object{"agent": "bob"})
	w.fails("list_sessions", "NotFoundError", "", object{"external_item_id": "SEM-1"})
	w.fails("list_sessions", "NotFoundError", "", object{"project_path": "nowhere"})
	w.fails("list_sessions", "ValidationError", "status", object{"status": "open"})
}
