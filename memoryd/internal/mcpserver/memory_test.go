package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

// memories are the keys of an answer.
func memories(answer object) []string {
	keys := []string{}
	for _, m := range answer["memories"].([]any) {
		keys = append(keys, m.(object)["key"].(string))
	}
	return keys
}

func TestMemoryStore(t *testing.T) {
	w := newRecordWorld(t, "AGIT_AGENT=ann")
	sure := w.call("memory_store", object{"key": "doubt", "content": "It may be the cache", "memory_type": "warning", "confidence": 0.25})
	w.has(w.call("memory_recall", object{"id": sure["id"]})["memories"].([]any)[0].(object), object{"confidence": 0.25})
	w.call("memory_forget", object{"key": "doubt"})
	full := object{"key": "utc", "content": "Dates are in UTC", "memory_type": "decision", "importance": 3, "summary": "UTC", "title": "Time", "context": "said by Bob on 8 May", "tags": []string{"time"},
		"related_items": []string{"SEM-1"}, "citations": []object{{"path": "file.txt", "line": 1, "snippet": "one"}}, "project_path": w.repo.Dir}
	made := w.call("memory_store", full)
	w.has(made, object{"outcome": "created", "memory_type": "decision", "key": "utc", "importance": 3.0, "version": 1.0, "booked_on.agent": "ann"})
	if made["content"] != nil || made["warnings"] != nil {
		t.Errorf("what the caller knows is said again: %v", made)
	}
	stored := w.call("memory_recall", object{"id": made["id"]})["memories"].([]any)[0].(object)
	w.has(stored, object{"content": "Dates are in UTC", "summary": "UTC", "title": "Time", "source_context": "said by Bob on 8 May", "agent": "ann", "confidence": 1.0})
	cited := stored["citations"].([]any)[0].(object)
	if head := w.repo.Git("rev-parse", "HEAD"); cited["commit"] != strings.TrimSpace(head) || cited["line"] != 1.0 {
		t.Errorf("cited %v", cited)
	}
	if got := memories(w.call("memory_recall", object{"query": "what did Bob say in May?"})); !slices.Equal(got, []string{"utc"}) {
		t.Errorf("by its context: %v", got)
	}
	old := w.call("memory_store", object{"key": "rumour", "content": "The cache may lie", "memory_type": "warning", "at": "2026-05-08"})
	w.has(w.call("memory_recall", object{"id": old["id"]})["memories"].([]any)[0].(object),
		object{"created_at": "2026-05-08T00:00:00.000Z"})
	w.fails("memory_store", "ValidationError", "at", object{"key": "x", "content": "y", "memory_type": "warning", "at": "soon"})
	lost := w.call("memory_store", object{"key": "lost", "content": "Look there", "memory_type": "pattern", "citations": []object{{"path": "nowhere.go", "line": 1}, {"path": "file.txt", "line": 99}}, "project_path": w.repo.Dir})
	if said := lost["warnings"].([]any); len(said) != 2 {
		t.Errorf("of places that are not there: %v", said)
	}
	w.call("memory_forget", object{"key": "lost"})
	w.has(w.call("memory_store", full), object{"outcome": "unchanged", "id": made["id"]})
	full["content"] = "Dates are in UTC with milliseconds"
	w.has(w.call("memory_store", full), object{"outcome": "updated", "id": made["id"], "version": 2.0})
	near := w.call("memory_store", object{"key": "again", "content": full["content"], "memory_type": "pattern", "project": w.repo.Dir})
	w.has(near, object{"outcome": "created", "importance": 2.0})
	if near["similar"].([]any)[0].(object)["key"] != "utc" {
		t.Errorf("similar: %v", near["similar"])
	}
	secret := w.call("memory_store", object{"key": "ci", "content": "password=s3cr3t!x", "memory_type": "warning"})
	if len(secret["redacted"].([]any)) != 1 {
		t.Errorf("redacted: %v", secret)
	}
	kept := w.call("memory_store", object{"key": "utc", "content": "Dates are in UTC, always", "memory_type": "decision"})
	w.has(kept, object{"outcome": "updated", "importance": 3.0})
	next := w.call("memory_store", object{"key": "zoned", "content": "Dates carry their zone", "memory_type": "decision", "supersedes": "utc"})
	w.has(next, object{"outcome": "created"})
	for _, bad := range []struct {
		field string
		in    object
	}{
		{"key", object{"content": "x", "memory_type": "pattern"}},
		{"key", object{"key": "", "content": "x", "memory_type": "pattern"}},
		{"content", object{"key": "x", "memory_type": "pattern"}},
		{"content", object{"key": "x", "content": " ", "memory_type": "pattern"}},
		{"content", object{"key": "x", "content": strings.Repeat("10 MB ", 2<<20), "memory_type": "pattern"}},
		{"memory_type", object{"key": "x", "content": "x"}},
		{"memory_type", object{"key": "x", "content": "x", "memory_type": "fact"}},
		{"importance", object{"key": "x", "content": "x", "memory_type": "pattern", "importance": 0}},
		{"importance", object{"key": "x", "content": "x", "memory_type": "pattern", "importance": 6}},
		{"confidence", object{"key": "x", "content": "x", "memory_type": "pattern", "confidence": 1.5}},
		{"importanc", object{"key": "x", "content": "x", "memory_type": "pattern", "importanc": 3}},
		{"citations", object{"key": "x", "content": "x", "memory_type": "pattern", "citations": []object{{"path": "../x"}}}},
	} {
		w.fails("memory_store", "ValidationError", bad.field, bad.in)
	}
	w.fails("memory_store", "NotFoundError", "supersedes", object{"key": "x", "content": "x", "memory_type": "pattern", "supersedes": "nothing"})
}

// A memory stored while a session is open belongs to it.
func TestMemoryStoreInASession(t *testing.T) {
	w := newRecordWorld(t, "AGIT_AGENT=ann")
	started := w.call("session_start", object{"project_path": w.repo.Dir})
	w.call("memory_store", object{"key": "a", "content": "noted at work", "memory_type": "pattern"})
	w.has(w.call("memory_recall", object{"id": "a"})["memories"].([]any)[0].(object), object{"source_session_id": started["session_id"]})
}

func TestMemoryRecall(t *testing.T) {
	w := newRecordWorld(t, "AGIT_AGENT=ann")
	long := strings.Repeat("long text about rivers ", 200)
	w.call("memory_store", object{"key": "pool", "content": "The connection pool holds twenty connections", "memory_type": "architecture", "tags": []string{"db"}, "importance": 4})
	w.call("memory_store", object{"key": "rivers", "content": long, "memory_type": "pattern", "related_items": []string{"SEM-1"}})
	a := w.call("memory_recall", object{"query": "how large is the conxection pool?"})
	w.has(a, object{"weak": false, "hidden": 0.0})
	if memories(a)[0] != "pool" || a["read_as"] == nil {
		t.Errorf("got %v", a)
	}
	if a := w.call("memory_recall", object{"query": "rivers", "limit": 1}); a["memories"].([]any)[0].(object)["truncated"] != true {
		t.Errorf("a long body is whole: %.300v", a)
	}
	whole := w.call("memory_recall", object{"id": "rivers"})["memories"].([]any)[0].(object)
	if len(whole["content"].(string)) < len(long)-1 || whole["access_count"].(float64) < 1 {
		t.Errorf("by id: %d bytes, %v accesses", len(whole["content"].(string)), whole["access_count"])
	}
	for name, c := range map[string]struct {
		in   object
		want []string
	}{
		"type":       {object{"memory_type": "architecture"}, []string{"pool"}},
		"tags":       {object{"tags": []string{"db", "none"}}, []string{"pool"}},
		"importance": {object{"min_importance": 3, "query": "pool"}, []string{"pool"}},
		"all":        {object{"project_path": w.repo.Dir}, []string{"pool", "rivers"}},
		"related":    {object{"related_items": []string{"sem-1"}}, []string{"rivers"}},
		"offset":     {object{"offset": 1, "limit": 1, "titles": true}, []string{"rivers"}},
		"everywhere": {object{"all_projects": true, "query": "pool connections", "limit": 1}, []string{"pool"}},
	} {
		if got := memories(w.call("memory_recall", c.in)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	w.has(w.call("memory_recall", object{"query": "zebras in Peru"}), object{"weak": true})
	short := w.call("memory_recall", object{"query": "which zebras in Peru swim in rivers?"})
	w.has(short, object{"weak": true})
	if m := short["memories"].([]any)[0].(object); m["truncated"] != true || len(m["content"].(string)) > 200 || m["version"] != nil || !strings.Contains(short["next"].(string), "memory_recall with id") {
		t.Errorf("a weak hit is not short: %.500v", short)
	}
	if a := w.call("memory_recall", object{"query": "who counts zebras?", "also": []string{"connection pool holds twenty", "size of the connection pool"}}); a["weak"] != false || memories(a)[0] != "pool" {
		t.Errorf("in other words: %.300v", a)
	}
	for field, in := range map[string]object{
		"memory_type": {"memory_type": "fact"}, "min_importance": {"min_importance": 9}, "limit": {"limit": 0}, "offset": {"offset": -1},
		"query": {"query": strings.Repeat("word ", 4000)}, "querry": {"querry": "x"},
	} {
		w.fails("memory_recall", "ValidationError", field, in)
	}
	w.fails("memory_recall", "NotFoundError", "", object{"id": "nothing"})
	w.fails("memory_recall", "NotFoundError", "", object{"query": "x", "project_path": "nowhere"})
}

func TestMemoryUpdate(t *testing.T) {
	w := newRecordWorld(t, "AGIT_AGENT=ann")
	made := w.call("memory_store", object{"key": "a", "content": "one", "memory_type": "pattern"})
	w.call("memory_store", object{"key": "a", "content": "other", "memory_type": "warning"})
	w.fails("memory_update", "ValidationError", "memory_type", object{"key": "a", "content": "two"})
	got := w.call("memory_update", object{"key": "a", "memory_type": "pattern", "content": "two", "importance": 5, "confidence": 0.25, "why": "seen", "tags": []string{"x"}, "project_path": w.repo.Dir})
	w.has(got, object{"outcome": "updated", "id": made["id"], "importance": 5.0, "version": 2.0, "booked_on.agent": "ann"})
	history := w.call("memory_recall", object{"id": made["id"]})["history"].([]any)[0].(object)
	if history["content"] != "one" || history["why"] != "seen" || history["changed_by"] != "ann" {
		t.Errorf("history: %v", history)
	}
	w.has(w.call("memory_update", object{"id": made["id"], "content": "two"}), object{"outcome": "unchanged"})
	w.has(w.call("memory_update", object{"id": made["id"], "expires_at": "2020-01-01"}), object{"outcome": "updated"})
	w.has(w.call("memory_recall", object{"id": made["id"]})["memories"].([]any)[0].(object), object{"expired": true})
	w.call("memory_update", object{"id": made["id"], "expires_at": "never"})
	if expired, said := w.call("memory_recall", object{"id": made["id"]})["memories"].([]any)[0].(object)["expired"]; said {
		t.Errorf("what never expires has expired: %v", expired)
	}
	w.fails("memory_update", "ValidationError", "expires_at", object{"key": made["id"], "expires_at": "soon"})
	w.fails("memory_update", "ValidationError", "content", object{"key": made["id"]})
	w.fails("memory_update", "ValidationError", "confidence", object{"key": made["id"], "confidence": 2})
	w.fails("memory_update", "ValidationError", "memory_type", object{"key": "a", "memory_type": "fact", "content": "x"})
	w.fails("memory_update", "NotFoundError", "", object{"key": "b", "content": "x"})
	w.fails("memory_update", "ValidationError", "key", object{"content": "x"})
}

func TestMemoryForget(t *testing.T) {
	w := newRecordWorld(t, "AGIT_AGENT=ann")
	made := w.call("memory_store", object{"key": "a", "content": "one", "memory_type": "pattern"})
	w.call("memory_store", object{"key": "a", "content": "other", "memory_type": "warning"})
	w.fails("memory_forget", "ValidationError", "memory_type", object{"key": "a"})
	w.has(w.call("memory_forget", object{"key": "A", "memory_type": "pattern", "project_path": w.repo.Dir}),
		object{"forgotten": true, "id": made["id"], "restore": "memory_update with key " + made["id"].(string) + " and restore", "booked_on.agent": "ann"})
	w.has(w.call("memory_recall", object{}), object{"hidden": 1.0})
	// A forgotten memory can be read and restored by the agent.
	w.has(w.call("memory_recall", object{"id": made["id"]})["memories"].([]any)[0].(object), object{"content": "one", "archived_why": "forgotten"})
	w.has(w.call("memory_update", object{"key": made["id"], "restore": true}), object{"outcome": "restored", "id": made["id"]})
	w.has(w.call("memory_recall", object{}), object{"hidden": 0.0})
	w.call("memory_forget", object{"key": made["id"]})
	w.call("memory_forget", object{"key": "a", "memory_type": "warning", "why": "it rains"})
	listed := w.call("memory_recall", object{"archived": true, "limit": 1})
	w.has(listed, object{"hidden": 2.0, "more": true})
	w.has(listed["archived"].([]any)[0].(object), object{"key": "a", "memory_type": "warning", "archived_why": "it rains"})
	w.has(w.call("memory_recall", object{"archived": true, "offset": 1})["archived"].([]any)[0].(object), object{"id": made["id"]})
	w.fails("memory_recall", "NotFoundError", "", object{"archived": true, "project_path": "nowhere"})
	w.has(w.call("memory_update", object{"key": made["id"], "restore": true, "content": "one and a half"}), object{"outcome": "updated", "version": 2.0})
	w.call("memory_forget", object{"key": made["id"]})
	w.fails("memory_forget", "NotFoundError", "", object{"key": made["id"]})
	w.fails("memory_forget", "ValidationError", "key", object{})
}

func TestMemoryDecay(t *testing.T) {
	w := newRecordWorld(t, "AGIT_AGENT=ann")
	w.call("memory_store", object{"key": "a", "content": "one", "memory_type": "pattern"})
	got := w.call("memory_decay", object{})
	w.has(got, object{"dry_run": true, "checked": 1.0, "archived": 0.0, "threshold": 30.0})
	got = w.call("memory_decay", object{"dry_run": false, "project_path": w.repo.Dir})
	w.has(got, object{"dry_run": false, "archived": 0.0, "hidden": 0.0})
	// Of many memories the first are listed, and all are counted.
	for n := range mostDue + 2 {
		w.call("memory_store", object{"key": fmt.Sprint("k", n), "content": fmt.Sprint("about number ", n), "memory_type": "pattern"})
		w.call("memory_update", object{"key": fmt.Sprint("k", n), "expires_at": "2020-01-01"})
	}
	got = w.call("memory_decay", object{})
	w.has(got, object{"archived": mostDue + 2, "left_out": 2})
	if n := len(got["memories"].([]any)); n != mostDue {
		t.Errorf("%d are listed", n)
	}
	w.fails("memory_decay", "ValidationError", "dry_run", object{"dry_run": "yes"})
	w.fails("memory_decay", "NotFoundError", "", object{"project_path": "nowhere"})
}

// A hint never names a command or tool that the agent cannot call.
func TestMemoryErrorsSpeakOfTools(t *testing.T) {
	w := newRecordWorld(t, "AGIT_AGENT=ann")
	w.call("memory_store", object{"key": "a", "content": "one", "memory_type": "pattern"})
	for want, given := range map[string]object{
		"memory_recall": {"key": "zzzzzz", "content": "x"},
		"new content, summary, importance, confidence, tags, related items, citations or an expiry": {"key": "a"}, // what the tool takes
	} {
		var f struct{ Message string }
		r := mcptest.Call(t, w.main, "memory_update", given)
		if err := json.Unmarshal(r.StructuredContent, &f); err != nil || !strings.Contains(f.Message, want) {
			t.Errorf("%s, %v", r.StructuredContent, err)
		}
	}
}
