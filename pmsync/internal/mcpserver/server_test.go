package mcpserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/ticket"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

type object = map[string]any

// world is a server in a repository that has three tickets of its own.
type world struct {
	*service
	t     *testing.T
	home  string
	repo  *gittest.Repo
	who   caller.Caller
	local *mcpkit.Local
	ids   [3]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	repo := gittest.New(t)
	repo.Write("file.txt", "one\n")
	repo.Commit("first")
	w := &world{t: t, home: t.TempDir(), repo: repo}
	w.service = mcptest.Build(t, Server, mcptest.Env(t, w.home, repo.Dir))
	w.local = w.MCP.Local()
	t.Cleanup(w.local.Close)
	place, err := project.Locate("", repo.Dir)
	w.must(err)
	w.who = caller.Caller{Place: place}
	for i, title := range []string{"one", "two", "three"} {
		made, err := w.stores().Tickets.Create(t.Context(), w.who, ticket.New{Title: title, Body: ticket.Text{Format: "markdown", Text: "## Acceptance criteria\n\n- [ ] " + title + " answers within a second\n"}})
		w.must(err)
		w.ids[i] = made.ID
	}
	w.call("get_ready_work", object{"project_path": repo.Dir}) // a session without a folder works on the first project that it names
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// call calls a tool that succeeds.
func (w *world) call(tool string, in object) (out object) {
	w.t.Helper()
	r := mcptest.Call(w.t, w.local, tool, in)
	if r.IsError {
		w.t.Fatalf("%s: %s", tool, r.StructuredContent)
	}
	w.must(json.Unmarshal(r.StructuredContent, &out))
	return out
}

// fails calls a tool that is refused, with words in its message.
func (w *world) fails(tool, kind, words string, in object) {
	w.t.Helper()
	r := mcptest.Call(w.t, w.local, tool, in)
	var f struct{ Error, Message string }
	w.must(json.Unmarshal(r.StructuredContent, &f))
	if !r.IsError || f.Error != kind || !strings.Contains(f.Message, words) {
		w.t.Errorf("%s%v: %s", tool, in, r.StructuredContent)
	}
}

func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	w.must(w.stores().DB.Write(w.t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}))
}

// means is what a state of the tracker means in the registry.
func (w *world) means() (category string) {
	w.t.Helper()
	w.must(w.stores().DB.Read(w.t.Context(), func(tx *registry.Tx) error {
		return tx.QueryRow(`SELECT category FROM tracker_statuses`).Scan(&category)
	}))
	return category
}

// Settings that are written while a server runs count with its next call, once they are trusted; a file that cannot be read stops
// changes, and no look.
func TestSettingsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`INSERT INTO trackers (project_id, provider, updated_at) SELECT id, 'asana', updated_at FROM projects`)
	w.exec(`INSERT INTO tracker_statuses (project_id, remote_id, name, name_key, category) SELECT id, 's', 'Doing', 'doing', 'todo' FROM projects`)
	file := filepath.Join(w.repo.Dir, ".agit.toml")
	write := func(text string, trusted bool) {
		w.must(os.WriteFile(file, []byte(text), 0o600))
		if trusted {
			o := w.Env.ConfigOptions(w.repo.Dir)
			files, err := config.ProjectFiles(o)
			w.must(err)
			w.must(config.Trust(o, files))
		}
	}
	look := func(want string) {
		t.Helper()
		w.call("get_ticket", object{"identifier": w.ids[0]})
		if got := w.means(); got != want {
			t.Errorf("Doing means %s, want %s", got, want)
		}
	}
	settings := func(category string) string {
		return "[provider]\nname = \"asana\"\ncategory_of = [\"Doing=" + category + "\"]\n"
	}
	before := w.stores()
	look("todo")
	if w.stores() != before {
		t.Error("the stores are made anew where nothing changed")
	}
	write(settings("in_progress"), false)
	look("todo")
	write(settings("in_progress"), true)
	look("in_progress")
	w.exec(`UPDATE tracker_statuses SET category = 'done'`) // by a pull
	look("done")                                            // which had the same settings: they are not compared with every call
	write("[provider\n", false)
	look("done")
	w.fails("update_ticket_status", "ValidationError", ".agit.toml", object{"identifier": w.ids[0], "status": "done"})
	write(settings("canceled")+"[acceptance_criteria]\nrequire_evidence_for_verification = true\n", true)
	w.call("plan_create", object{"title": "a change takes it in too"})
	if got := w.means(); got != "canceled" {
		t.Errorf("after a change, Doing means %s", got)
	}
	if w.stores() == before || !w.stores().Criteria.NeedEvidence || w.stores().Sync != before.Sync {
		t.Error("the stores are not those of the new settings")
	}
}

// The tools of tickets, plans and dependencies answer with what the stores hold.
func TestTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.ids[0], w.ids[1]
	w.call("dependency_add", object{"source_id": one, "target_id": two, "relation": "blocks"})
	neighbours := func(tool, of, list string) (ids []string) {
		for _, n := range w.call(tool, object{"item_id": of})[list].([]any) {
			ids = append(ids, n.(object)["id"].(string))
		}
		return ids
	}
	got := map[string][]string{
		"what blocks two":    neighbours("get_blockers", two, "blockers"),
		"what blocks one":    neighbours("get_blockers", one, "blockers"),
		"what waits for one": neighbours("get_dependents", one, "dependents"),
		"what waits for two": neighbours("get_dependents", two, "dependents"),
	}
	if diff := cmp.Diff(map[string][]string{"what blocks two": {one}, "what blocks one": nil, "what waits for one": {two}, "what waits for two": nil}, got); diff != "" {
		t.Error(diff)
	}
	if next, ready := w.call("get_ready_work", object{})["next"]; ready {
		t.Errorf("something is ready: %v", next)
	}
	plan := w.call("plan_create", object{"title": "think", "external_item_id": one})["id"]
	w.call("plan_delete", object{"plan_id": plan})
	w.fails("plan_delete", "NotFoundError", "", object{"plan_id": plan})

	status := w.call("sync_status", object{})
	if _, open := status["open_conflicts"]; open || status["conflicts"] != 0.0 || status["provider"] != "local" {
		t.Errorf("the tracker stands so: %v", status)
	}
	detail := w.call("get_ticket", object{"identifier": one})
	if list, _ := detail["acceptance_criteria"].([]any); len(list) != 1 || detail["title"] != "one" {
		t.Errorf("the ticket is %v", detail)
	}
	w.fails("get_ticket", "NotFoundError", "", object{"identifier": "SEM-404"})
	w.fails("get_ticket", "NotFoundError", "", object{"identifier": one, "project_path": "nowhere"})
	w.fails("plan_create", "NotFoundError", "", object{"title": "x", "project_path": "nowhere"})
	if done := w.call("update_ticket_status", object{"identifier": one, "status": "done", "agent": "ann"}); done["booked_on"].(object)["agent"] != "ann" {
		t.Errorf("it is booked on %v", done)
	}
	w.fails("update_ticket_status", "ValidationError", "", object{"identifier": one, "status": "open", "agent": "a\nb"})
}

// Where work is open and none of it is ready, the answer names the question that tells why.
func TestNothingReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range w.ids {
		w.call("update_ticket_status", object{"identifier": id, "status": "in_progress"})
	}
	next := func(in object) string {
		answer := w.call("get_ready_work", in)
		if list, _ := answer["items"].([]any); len(list) > 0 {
			t.Errorf("something is ready: %v", answer)
		}
		said, _ := answer["next"].(string)
		return said
	}
	if said := next(object{}); !strings.Contains(said, "explain") {
		t.Errorf("it names %q", said)
	}
	if said := next(object{"explain": true}); said != "" {
		t.Errorf("with explain it names %q", said)
	}
	for _, id := range w.ids {
		w.call("update_ticket_status", object{"identifier": id, "status": "done"})
	}
	if said := next(object{}); said != "" {
		t.Errorf("where nothing is open it names %q", said)
	}
}

// The sentences of the stores about criteria name tools, not commands.
func TestCriteriaInWordsOfTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	summary := func(body string) any {
		made, err := w.stores().Tickets.Create(t.Context(), w.who, ticket.New{Title: "x", Body: ticket.Text{Format: "markdown", Text: body}})
		w.must(err)
		return strings.ReplaceAll(w.call("ac_check_all", object{"external_item_id": made.ID})["summary"].(string), made.ID, "X")
	}
	if got, want := summary(""), "no criteria of X are known; ac_parse of X with force_reparse looks for them in its text, ac_add adds one"; got != want {
		t.Error(got)
	}
	if got, want := summary("- [ ] the login answers within a second"), "1 line of the text of X may be criteria, and its author called none of them one; ac_verify judges one, ac_update of X#N with status pending confirms one"; got != want {
		t.Error(got)
	}
	w.stores().Criteria.NeedEvidence = true
	w.fails("ac_update", "ValidationError", "; ac_verify takes evidence with it", object{"criterion_id": w.ids[0] + "#1", "status": "verified"})
}
