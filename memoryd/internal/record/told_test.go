package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Points and deeds of agents: every write with its answer and the rows that it changes, and the journal in the end.
func TestStoryOfRecords(t *testing.T) {
	w := newWorld(t)
	if err := w.db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		if _, err := agent.Register(tx, agent.Registration{Name: "ann", Type: "coder"}); err != nil {
			return err
		}
		for _, name := range []string{"one", "two"} {
			if _, err := project.Ensure(tx, project.Identity{UID: "p-" + name, Name: name, Folder: "/" + name}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	watch := registrytest.NewWatch(t, w.db, []string{"agent_scores", "score_events", "commits", "grades", "retrospectives", "activities"})
	var b strings.Builder
	step := func(what string, said any, err error) {
		t.Helper()
		fmt.Fprintf(&b, "%s\n", what)
		if f := fault.From(err); f != nil {
			fmt.Fprintf(&b, "\t%s %s: %s; %s\n", f.Kind, f.Field, watch.Text(f.Message), watch.Text(f.Hint))
		} else if said != nil {
			data, err := json.Marshal(said)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "\t%s\n", watch.Text(string(data)))
		}
		b.WriteString(watch.Changes())
	}
	token := "ghp_" + strings.Repeat("aB3dE6", 6)
	in := func(name, where string) record.By {
		by := record.By{Agent: name, Place: project.Place{Named: where}}
		if where == "" {
			by.Place = project.Place{}
		}
		return by
	}
	ctx := t.Context()
	commits := func(c record.Commit) {
		t.Helper()
		got, err := w.store.Commit(ctx, c)
		step(fmt.Sprintf("commit %s of %q in %q amends %q", c.OID, c.By.Agent, c.By.Place.Named, c.Amends), got, err)
	}
	grades := func(g record.Grading) {
		t.Helper()
		got, err := w.store.Grade(ctx, g)
		step(fmt.Sprintf("grade %s by %s: %d, %d", g.Commit, g.By.Agent, g.AgentGrade, g.UserGrade), got, err)
	}
	looks := func(r record.Retrospective) {
		t.Helper()
		got, err := w.store.Retrospect(ctx, r)
		step(fmt.Sprintf("look back at %q %q", r.Commit, r.Task), got, err)
	}
	bugs := func(bug record.Bug) {
		t.Helper()
		got, err := w.store.Bug(ctx, bug)
		step(fmt.Sprintf("bug in %q: %.20q", bug.Commit, bug.Note), got, err)
	}
	logs := func(a record.Activity) {
		t.Helper()
		got, err := w.store.Log(ctx, a)
		step(fmt.Sprintf("log %q", a.Task), got, err)
	}
	uses := func(u record.Use) {
		t.Helper()
		got, err := w.store.Use(ctx, u)
		step(fmt.Sprintf("use %s × %d", u.Kind, u.Times), got, err)
	}
	old := timestamp.Of(time.Date(2020, 3, 1, 10, 0, 0, 0, time.UTC))

	commits(record.Commit{By: in("", "one"), OID: "aaaa1111", Subject: "First\nand more", Body: "why"})
	commits(record.Commit{By: in("ann", "one"), OID: "AAAA1111"})
	commits(record.Commit{By: in("ann", "one"), OID: "aaaa1111", Subject: "The first", Body: token})
	commits(record.Commit{By: in("ann", "one"), OID: "aaaa2222", Subject: "Second", At: old})
	commits(record.Commit{By: in("ann", "one"), OID: "aaaa3333", Subject: "Second again", Amends: "aaaa2222"})
	commits(record.Commit{By: in("ann", "one"), OID: "aaaa4444", Subject: "New", Amends: "ffff9999"})
	commits(record.Commit{By: in("ann", "two"), OID: "aaaa1111", Subject: "Of two"})
	for _, oid := range []string{"", "HEAD", "@", "main~2", "a:b", "x@{1}", "-x", "a\nb"} {
		commits(record.Commit{By: in("ann", "one"), OID: oid})
	}
	commits(record.Commit{By: in("ann", ""), OID: "aaaa5555"})
	commits(record.Commit{By: in("ann", "nowhere"), OID: "aaaa5555"})
	grades(record.Grading{By: in("ann", "one"), Commit: "aaaa33", AgentGrade: record.Good, UserGrade: record.Excellence, AgentNote: "well " + token, UserNote: "very well"})
	grades(record.Grading{By: in("ann", "one"), Commit: "aaaa3333", AgentGrade: record.Bad, UserGrade: record.Bad})
	commits(record.Commit{By: in("ann", "one"), OID: "aaaa6666", Subject: "After the grade", Amends: "aaaa3333"})
	grades(record.Grading{By: in("ann", "one"), Commit: "aaaa", AgentGrade: 1, UserGrade: 1})
	grades(record.Grading{By: in("ann", "one"), Commit: "bbbb", AgentGrade: 3, UserGrade: 1})
	grades(record.Grading{By: in("ann", "one"), Commit: "bbbb", AgentGrade: 1, UserGrade: 0})
	grades(record.Grading{By: in("", "one"), Commit: "bbbb", AgentGrade: 1, UserGrade: 1})
	grades(record.Grading{By: in("ann", ""), Commit: "bbbb", AgentGrade: 1, UserGrade: 1})
	grades(record.Grading{By: record.By{Agent: "ann", Place: project.Place{Named: "one"}, Scope: "a\nb"}, Commit: "bbbb", AgentGrade: 1, UserGrade: 1})
	grades(record.Grading{By: record.By{Agent: "ann", Place: project.Place{Named: "one"}, Scope: "review"}, Commit: "bbbb", AgentGrade: -1, UserGrade: -1, Task: "Of its own", Subject: "Named", Body: "b"})
	looks(record.Retrospective{By: in("ann", "one")})
	looks(record.Retrospective{By: in("ann", ""), Task: "x"})
	looks(record.Retrospective{By: in("ann", "one"), Task: "x", AgentGrade: 7})
	looks(record.Retrospective{By: in("ann", "one"), Commit: "HEAD"})
	looks(record.Retrospective{By: in("ann", "one"), Task: "a task", AgentGrade: 2, UserNote: "n", At: old})
	looks(record.Retrospective{By: in("ann", "one"), Commit: "aaaa3333", AgentNote: "later"})
	before, after := int64(100), int64(200)
	looks(record.Retrospective{By: in("ann", "one"), Commit: "aaaa33", Task: "renamed", UserNote: "later too", UserGrade: 1, ScoreBefore: &before, ScoreAfter: &after})
	looks(record.Retrospective{By: in("ann", "one"), Commit: "aaaa4444"})
	uses(record.Use{By: in("ann", "one"), Kind: "tool"})
	uses(record.Use{By: in("ann", ""), Kind: "command", Times: 1000})
	uses(record.Use{By: in("ann", ""), Kind: "command", Times: 1001})
	uses(record.Use{By: in("ann", ""), Kind: "command", Times: -1})
	uses(record.Use{By: in("ann", ""), Kind: "song"})
	uses(record.Use{By: in("", ""), Kind: "tool"})
	for i := range 5 {
		bugs(record.Bug{By: in("ann", "one"), Commit: []string{"aaaa44", "", "HEAD", "cccc", "x"}[i], Note: "a slip " + token})
	}
	bugs(record.Bug{By: in("ann", ""), Commit: "aaaa44"})
	for range 8 {
		bugs(record.Bug{By: in("ann", "")})
	}
	for _, by := range []string{"ANN", "", "boss"} {
		r, err := w.store.Resume(ctx, by, "ann", "looked at")
		step(fmt.Sprintf("resume by %q", by), r, err)
	}
	for _, name := range []string{"", "nobody"} {
		r, err := w.store.Resume(ctx, "", name, "")
		step(fmt.Sprintf("resume %q", name), r, err)
	}
	_, err := w.store.Resume(ctx, "", "ann", "\x00")
	step("resume for a reason that is none", nil, err)
	logs(record.Activity{By: in("ann", "one")})
	logs(record.Activity{By: in("ann", ""), Task: "x"})
	logs(record.Activity{By: in("bob", "two"), Task: "wrote " + token, Actions: "a", Outcome: "o", Decisions: "d", At: old})
	logs(record.Activity{By: in("ann", "one"), Task: "now"})
	all, err := w.store.List(ctx)
	step("list", all, err)
	for _, of := range []struct {
		agent string
		limit int
	}{{"ann", 100}, {"ann", 3}, {"bob", 100}, {"", 1}, {"nobody", 1}} {
		told, err := journal(ctx, w.store, of.agent, of.limit)
		step(fmt.Sprintf("journal of %q, %d", of.agent, of.limit), told, err)
	}
	goldentest.Same(t, "records.txt", b.String(), *update)
}

// journal lists the entries by kind: those of two kinds may have the same time.
func journal(ctx context.Context, s *record.Store, agent string, limit int) (lines []string, err error) {
	all, err := s.Journal(ctx, agent, limit)
	counts := map[string]int{}
	for _, e := range all {
		counts[e.Kind]++
		if e.Kind == "activity" || e.Kind == "retrospective" {
			lines = append(lines, fmt.Sprintf("%s %s %s %q %s %d %d %s %s %s %s %s", e.Kind, e.Agent, e.Scope, e.Title, e.Commit, e.AgentGrade, e.UserGrade, e.AgentNote, e.UserNote, e.Actions, e.Outcome, e.Decisions))
		} else {
			lines = append(lines, fmt.Sprintf("%s %s %q %s × %d: %s", e.Kind, e.Scope, e.Title, e.Commit, e.Times, e.Scores()))
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int {
		return strings.Compare(a[:strings.IndexByte(a, ' ')], b[:strings.IndexByte(b, ' ')])
	})
	return append(lines, fmt.Sprint(counts)), err
}
