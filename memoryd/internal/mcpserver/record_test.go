package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

// recordWorld is a server in a repository with one commit, and a session.
type recordWorld struct {
	*service
	t    *testing.T
	repo *gittest.Repo
	main *mcpkit.Local
}

func newRecordWorld(t *testing.T, environ ...string) *recordWorld {
	t.Helper()
	repo := gittest.New(t)
	repo.Write("file.txt", "one\n")
	repo.Commit("Speed up the import")
	env := mcptest.Env(t, t.TempDir(), repo.Dir, environ...)
	w := &recordWorld{service: mcptest.Build(t, Server, env), t: t, repo: repo}
	w.main = w.MCP.Local()
	t.Cleanup(w.main.Close)
	// A session without a folder works on the first project that it names.
	w.call("prior_art", object{"task_description": "anything", "project_path": repo.Dir})
	return w
}

type object = map[string]any

// call calls a tool that succeeds.
func (w *recordWorld) call(tool string, in object) (out object) {
	w.t.Helper()
	r := mcptest.Call(w.t, w.main, tool, in)
	if r.IsError {
		w.t.Fatalf("%s: %s", tool, r.StructuredContent)
	}
	if err := json.Unmarshal(r.StructuredContent, &out); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// fails calls a tool that must fail with a kind and about a field.
func (w *recordWorld) fails(tool, kind, field string, in object) {
	w.t.Helper()
	r := mcptest.Call(w.t, w.main, tool, in)
	var f struct{ Error, Field, Message string }
	if err := json.Unmarshal(r.StructuredContent, &f); err != nil {
		w.t.Fatal(err)
	}
	if !r.IsError || f.Error != kind || f.Field != field {
		w.t.Errorf("%s%v: %s", tool, in, r.StructuredContent)
	}
}

// has compares some fields of an answer; a dot in a name descends into an object.
func (w *recordWorld) has(answer, want object) {
	w.t.Helper()
	for name, value := range want {
		var got any = answer
		for part := range strings.SplitSeq(name, ".") {
			in, _ := got.(object)
			got = in[part]
		}
		if n, ok := value.(int); ok {
			value = float64(n)
		}
		if got != value {
			w.t.Errorf("%s is %v, want %v, in %v", name, got, value, answer)
		}
	}
}

func TestAgentStatusTool(t *testing.T) {
	w := newRecordWorld(t)
	w.fails("agent_status", "NotFoundError", "", object{"agent_id": "ann"})
	w.fails("agent_status", "NotFoundError", "", object{}) // the session itself has done nothing yet
	w.fails("agent_status", "ValidationError", "agent_id", object{"agent_id": "a\nb"})
	w.fails("agent_status", "ValidationError", "agents", object{"agents": "ann"})
	w.call("agent_log_activity", object{"agent_id": "ann", "task": "x"})
	got := w.call("agent_status", object{"agent_id": "ANN"})
	w.has(got, object{"agent": "ann", "type": "custom", "tier": "PROBATION", "sp": 1, "xp": 0, "cs": 0, "commits": 0, "bugs": 0,
		"halted": false, "next_sp": 10, "progress": 0, "buffered": 1})
	id, _ := got["agent_id"].(string)
	w.has(w.call("agent_status", object{"agent": id}), object{"agent": "ann"})
	// Without a named agent, the session's own agent counts.
	w.call("agent_log_activity", object{"task": "x"})
	w.has(w.call("agent_status", object{}), object{"buffered": 1})
}

func TestAgentReportBugTool(t *testing.T) {
	w := newRecordWorld(t)
	w.fails("agent_report_bug", "ValidationError", "agent_id", object{})
	w.fails("agent_report_bug", "NotFoundError", "", object{"agent_id": "a-0123456789"})
	w.fails("agent_report_bug", "NotFoundError", "", object{"agent_id": "ann", "project_path": "nowhere"})
	head := w.repo.Git("rev-parse", "HEAD")
	got := w.call("agent_report_bug", object{"agent_id": "ann", "note": "lost a row", "commit": "HEAD", "scope": "backend"})
	w.has(got, object{"agent": "ann", "sp": 0, "bugs": 1, "halted": true, "halts": true, "booked_on.agent": "ann"})
	w.has(w.call("agent_report_bug", object{"agent_id": "ann"}), object{"sp": -1, "bugs": 2, "halted": true, "halts": false})
	art := w.call("prior_art", object{"task_description": "a lost row"})
	mistakes, _ := art["mistakes"].([]any)
	if len(mistakes) != 1 {
		t.Fatalf("%v", art)
	}
	w.has(mistakes[0].(object), object{"source": "halt", "scope": "backend", "task": "lost a row", "id": head})
}

func TestAgentRecordGradeTool(t *testing.T) {
	w := newRecordWorld(t)
	head := w.repo.Git("rev-parse", "HEAD")
	got := w.call("agent_record_grade", object{"agent_id": "ann", "commit_hash": "HEAD", "agent_grade": 2, "user_grade": 5,
		"agent_note": "batched", "user_note": "simple", "scope": "backend"})
	w.has(got, object{"commit": head, "task": "Speed up the import", "score_before": 0, "score_after": 7, "level_up": false,
		"status.xp": 1, "status.cs": 7, "status.commits": 1, "booked_on.agent": "ann"})
	if project, _ := got["booked_on"].(object)["project"].(string); !strings.HasPrefix(project, "p-") {
		t.Errorf("%v", got)
	}
	w.fails("agent_record_grade", "ConflictError", "", object{"agent_id": "ann", "commit": head[:10], "agent_grade": 1, "user_grade": 1})
	for _, grade := range []any{0, 3, 4, 6, -2, 1.5, "great", nil, []int{1}} {
		w.fails("agent_record_grade", "ValidationError", "agent_grade", object{"commit_hash": "abcd", "agent_grade": grade, "user_grade": 1})
		w.fails("agent_record_grade", "ValidationError", "user_grade", object{"commit_hash": "abcd", "agent_grade": 1, "user_grade": grade})
	}
	w.fails("agent_record_grade", "ValidationError", "commit_hash", object{"agent_grade": 1, "user_grade": 1})
	w.fails("agent_record_grade", "ValidationError", "commit_hash", object{"commit_hash": "--output=x", "agent_grade": 1, "user_grade": 1})
	// A commit that is not in this repository is kept as given; a task may be named.
	got = w.call("agent_record_grade", object{"agent_id": "ann", "commit_hash": "0123ABCD", "agent_grade": -1, "user_grade": -1, "task": "elsewhere"})
	w.has(got, object{"commit": "0123abcd", "task": "elsewhere", "score_before": 7, "score_after": 5})
	if warned := fmt.Sprint(got["warnings"]); warned != `[the repository here does not know commit "0123ABCD"; it is kept as written]` {
		t.Error(warned)
	}
	for n := range 7 {
		w.call("agent_record_grade", object{"agent_id": "ann", "commit_hash": strings.Repeat("ab", n+4), "agent_grade": 1, "user_grade": 1})
	}
	w.has(w.call("agent_record_grade", object{"agent_id": "ann", "commit_hash": "cccc", "agent_grade": 1, "user_grade": 1}),
		object{"level_up": true, "status.sp": 2, "status.xp": 0, "status.tier": "JUNIOR"})
}

// All names of a commit mean the same commit, also after a session has named its project.
func TestGradesOfASessionKnowTheRepository(t *testing.T) {
	w := newRecordWorld(t)
	head := w.repo.Git("rev-parse", "HEAD")
	w.call("session_start", object{"project_path": w.repo.Dir, "agent": "ann"})
	got := w.call("agent_record_grade", object{"commit_hash": head[:8], "agent_grade": 2, "user_grade": 5})
	w.has(got, object{"commit": head, "task": "Speed up the import"})
	w.fails("agent_record_grade", "ConflictError", "", object{"commit_hash": head, "agent_grade": 2, "user_grade": 5})
	w.has(w.call("agent_record_retrospective", object{"commit": "HEAD", "agent_note": "batch"}), object{"commit": head, "task": "Speed up the import"})
	// The same is true of citations.
	said := w.call("memory_store", object{"key": "k", "content": "Look there", "memory_type": "pattern", "citations": []object{{"path": "nowhere.go"}}})
	if warned, _ := said["warnings"].([]any); len(warned) != 1 {
		t.Errorf("of a place that is not there: %v", said)
	}
	// Another project's repository is not asked.
	w.call("agent_log_activity", object{"task": "x", "project_path": t.TempDir()})
	other := w.call("session_start", object{"project_path": t.TempDir(), "agent": "bob"})
	w.has(w.call("agent_record_grade", object{"agent_id": "bob", "commit_hash": head[:8], "agent_grade": 1, "user_grade": 1}),
		object{"commit": head[:8], "booked_on.project": other["project"].(object)["id"]})
}

func TestAgentStatusToolReadsTheJournal(t *testing.T) {
	w := newRecordWorld(t)
	w.call("agent_log_activity", object{"agent_id": "ann", "task": "tidied up"})
	w.call("agent_report_bug", object{"agent_id": "ann", "note": "lost a row"})
	kinds := []string{}
	for _, e := range w.call("agent_status", object{"agent_id": "ann", "journal": 10})["journal"].([]any) {
		kinds = append(kinds, e.(object)["kind"].(string)+" "+e.(object)["title"].(string))
	}
	slices.Sort(kinds)
	if want := []string{"activity tidied up", "bug lost a row", "halt lost a row"}; !slices.Equal(kinds, want) {
		t.Errorf("the journal says %v, want %v", kinds, want)
	}
	if n := len(w.call("agent_status", object{"agent_id": "ann", "journal": 1})["journal"].([]any)); n != 1 {
		t.Errorf("%d entries", n)
	}
	if _, told := w.call("agent_status", object{"agent_id": "ann"})["journal"]; told {
		t.Error("a journal that was not asked for")
	}
}

func TestAgentRecordRetrospectiveTool(t *testing.T) {
	w := newRecordWorld(t)
	w.fails("agent_record_retrospective", "ValidationError", "task", object{"agent_note": "of nothing"})
	w.fails("agent_record_retrospective", "ValidationError", "user_grade", object{"task": "x", "user_grade": 3})
	w.fails("agent_record_retrospective", "ValidationError", "timestamp", object{"task": "x", "timestamp": "yesterday"})
	got := w.call("agent_record_retrospective", object{"agent_id": "ann", "commit": "HEAD", "timestamp": "2026-01-02T03:04:05Z", "task": "t",
		"agent_grade": 1, "user_grade": 5, "score_before": 3, "score_after": 9, "agent_note": "a", "user_note": "u", "scope": "s"})
	w.has(got, object{"commit": w.repo.Git("rev-parse", "HEAD"), "task": "t", "agent_grade": 1, "user_grade": 5, "score_before": 3, "score_after": 9,
		"scope": "s", "booked_on.agent": "ann"})
	again := w.call("agent_record_retrospective", object{"agent_id": "ann", "commit": "HEAD", "user_note": "better"})
	w.has(again, object{"task": "t", "user_grade": 5})
	w.has(w.call("agent_status", object{"agent_id": "ann"}), object{"xp": 0, "cs": 0, "commits": 0, "buffered": 1})
	if err := w.records.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Once stored, it keeps the id that it was given.
	stored := w.call("agent_record_retrospective", object{"agent_id": "ann", "commit": "HEAD", "agent_note": "later"})
	if got["id"] != again["id"] || got["id"] != stored["id"] || stored["task"] != "t" {
		t.Errorf("%v\n%v\n%v", got, again, stored)
	}
	w.has(w.call("agent_status", object{"agent_id": "ann"}), object{"xp": 0, "cs": 0, "commits": 0})
}

func TestAgentLogActivityTool(t *testing.T) {
	w := newRecordWorld(t)
	w.fails("agent_log_activity", "ValidationError", "task", object{})
	w.fails("agent_log_activity", "ValidationError", "task", object{"task": " "})
	w.fails("agent_log_activity", "ValidationError", "outcome", object{"task": "x", "outcome": strings.Repeat("long ", 14_000)})
	got := w.call("agent_log_activity", object{"agent_id": "ann", "timestamp": "2026-01-02T03:04:05Z", "task": "t", "actions": "a", "outcome": "o",
		"decisions": "d", "scope": "s"})
	w.has(got, object{"timestamp": "2026-01-02T03:04:05.000Z", "task": "t", "scope": "s", "booked_on.agent": "ann"})
	w.has(w.call("agent_log_activity", object{"task": "mine"}), object{"scope": "custom"})
}

func TestPriorArtTool(t *testing.T) {
	w := newRecordWorld(t)
	w.fails("prior_art", "ValidationError", "task_description", object{})
	w.fails("prior_art", "ValidationError", "max_results", object{"task_description": "x", "max_results": 51})
	w.fails("prior_art", "NotFoundError", "", object{"task_description": "invoice", "agent_id": "nobody"})
	w.fails("prior_art", "NotFoundError", "", object{"task_description": "invoice", "project_path": "nowhere"})
	// Buffered writes are found, too.
	w.call("agent_record_grade", object{"agent_id": "ann", "commit_hash": "aaaa", "agent_grade": 1, "user_grade": 5, "task": "Cache invoices", "scope": "backend"})
	w.call("agent_record_grade", object{"agent_id": "ann", "commit_hash": "bbbb", "agent_grade": 1, "user_grade": 2, "task": "Show invoices", "scope": "frontend"})
	w.call("agent_record_grade", object{"agent_id": "ann", "commit_hash": "cccc", "agent_grade": 1, "user_grade": -1, "task": "Delete invoices", "scope": "frontend"})
	got := w.call("prior_art", object{"task_description": "Cache the invoices", "scope": "backend"})
	for list, want := range map[string]string{"positive_patterns": "Cache invoices", "cross_scope_patterns": "Show invoices", "mistakes": "Delete invoices"} {
		matches, _ := got[list].([]any)
		if len(matches) != 1 || matches[0].(object)["task"] != want {
			t.Errorf("%s: %v", list, matches)
		}
	}
	if matches := w.call("prior_art", object{"query": "invoices", "max_results": 1})["positive_patterns"].([]any); len(matches) != 1 {
		t.Errorf("at most one: %v", matches)
	}
}

// The buffer is stored when a client's session ends.
func TestSessionEndStoresRecords(t *testing.T) {
	w := newRecordWorld(t)
	local := w.MCP.Local()
	r := mcptest.Call(t, local, "agent_log_activity", object{"agent_id": "ann", "task": "x", "project_path": w.repo.Dir})
	if r.IsError {
		t.Fatalf("%s", r.StructuredContent)
	}
	local.Close()
	st, err := w.stores.Records.Status(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	entries := w.call("agent_status", object{"agent_id": "ann"})
	if _, buffered := entries["buffered"]; buffered {
		t.Errorf("still buffered: %v, %+v", entries, st)
	}
}

// Records are for orchestrators and reviewers; the small set leaves them out.
func TestCoreLeavesRecordsOut(t *testing.T) {
	if slices.ContainsFunc(Server.Core, func(name string) bool { return strings.HasPrefix(name, "agent_") }) {
		t.Errorf("%v", Server.Core)
	}
}

// A search of past sessions takes a date or how long ago, as commands do.
func TestHistorySince(t *testing.T) {
	w := newRecordWorld(t)
	for _, since := range []string{"2026-11-01", "14d"} {
		w.call("history_search", object{"query": "x", "since": since})
	}
	w.fails("history_search", "ValidationError", "since", object{"since": "yesterday"})
}
