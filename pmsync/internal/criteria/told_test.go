package criteria_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/criteria"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

var update = flag.Bool("update", false, "write the transcript in testdata anew, for review")

// The life of the criteria of a ticket: every step with its answer, and the rows that it changes.
func TestStoryOfCriteria(t *testing.T) {
	db, item, write := ticketSEM1(t)
	st, who := &criteria.Store{DB: db}, caller.Caller{Place: project.Place{Named: "p-1"}, Agent: "ann"}
	w := registrytest.NewWatch(t, db, []string{"criteria", "criterion_evidence", "item_history"}, "criteria.uid")
	repo := gittest.New(t)
	repo.Commit("base", "a.go", "package a\n", "shots/a.png", "x")
	var b strings.Builder
	step := func(what, said string, err error) {
		t.Helper()
		fmt.Fprintf(&b, "%s\n", what)
		if f := fault.From(err); f != nil {
			fmt.Fprintf(&b, "\t%s %s: %s; %s\n", f.Kind, f.Field, w.Text(f.Message), w.Text(f.Hint))
		} else if said != "" {
			fmt.Fprintf(&b, "\t%s\n", w.Text(said))
		}
		b.WriteString(w.Changes())
	}
	tell := func(c criteria.Changed) string {
		if c.ID == "" {
			return ""
		}
		evidence := "none"
		if c.Evidence != nil {
			evidence = fmt.Sprintf("%+v", *c.Evidence)
		}
		return fmt.Sprintf("%s %d of %s %q %s %s unsure %t verified %t failed %t %q attempts %d in %q evidence %s checked %q", c.ID, c.Index, c.Ticket, c.Text, c.Source, c.Status, c.Unsure, c.VerifiedAt != nil, c.FailedAt != nil, c.FailedReason,
			c.Attempts, c.Session, evidence, c.Checked)
	}
	reads := func(found ...criteria.Found) {
		t.Helper()
		write(func(tx *registry.Tx) error {
			r, err := criteria.Reparse(tx, item.ID, found)
			step(fmt.Sprintf("read %d", len(found)), fmt.Sprintf("%+v", r), err)
			return nil
		})
		b.WriteString(w.Changes())
	}
	counts := func() {
		t.Helper()
		s, err := st.Status(t.Context(), who, "SEM-1")
		said := fmt.Sprintf("total %d pending %d in progress %d verified %d failed %d blocked %d unsure %d, %.1f %%, blockers %q", s.Total, s.Pending, s.InProgress, s.Verified, s.Failed, s.Blocked, s.Unsure, s.Completion, s.Blockers)
		for _, c := range s.Criteria {
			said += fmt.Sprintf("\n\t\t%d %q %s %s", c.Index, c.Text, c.Status, c.Why)
		}
		c, _ := st.CheckAll(t.Context(), who, "SEM-1")
		said += fmt.Sprintf("\n\tall verified %t, ready %t, %d pending %d failed %d blocked %d unsure, waits for %q: %s", c.AllVerified, c.ReadyToClose, len(c.Pending), len(c.Failed), len(c.Blocked), len(c.Unsure), c.WaitsFor, c.Summary)
		step("status", said, err)
	}
	adds := func(text string, index *int) {
		t.Helper()
		done, err := st.Add(t.Context(), who, "SEM-1", text, index)
		step(fmt.Sprintf("add %.40q", text), tell(done), err)
	}
	verifies := func(v criteria.Verdict) {
		t.Helper()
		done, err := st.Verify(t.Context(), who, v)
		said := tell(done)
		step(fmt.Sprintf("verify %s %s %.200s in a folder %t", v.ID, v.Status, fmt.Sprint(v.Evidence), v.Folder != ""), said, err)
	}
	updates := func(id string, text, status *string) {
		t.Helper()
		show := func(s *string) string {
			if s == nil {
				return "as it is"
			}
			return *s
		}
		done, err := st.Update(t.Context(), who, id, text, status)
		step(fmt.Sprintf("update %s text %.40s status %s", id, show(text), show(status)), tell(done), err)
	}
	at := func(n int) *int { return &n }
	to := func(s string) *string { return &s }
	said := func(text string) criteria.Found { return criteria.Found{Text: text} }

	counts()
	reads(said("works with a password"), criteria.Found{Text: "  is fast ", Source: criteria.Checklist, Why: "a task"}, criteria.Found{Text: "may be small", Unsure: true, Why: "a guess"})
	counts()
	reads(said("works with a password"), criteria.Found{Text: "is fast", Source: criteria.Checklist, Why: "a task"}, criteria.Found{Text: "may be small", Unsure: true, Why: "a guess"})
	adds(" ", nil)
	adds(strings.Repeat("x", 2001), nil)
	adds("Works with a password.", nil)
	adds("is told", at(4))
	adds("is told", at(-1))
	adds("is told", at(1))
	adds("comes last", nil)
	counts()
	reads(said("works with a password"), said("is fast"), said("something else entirely"))
	reads(said("works with a password or a key"), said("something else entirely"), said("is fast"))
	reads(said("is fast"))
	reads(said("is fast"), said("something else entirely"), criteria.Found{Text: "may be small", Why: "said now"})
	counts()
	for _, v := range []criteria.Verdict{
		{ID: "SEM-1#1", Status: "pending"}, {ID: "SEM-1#9", Status: criteria.Verified}, {ID: "SEM-9#1", Status: criteria.Verified}, {ID: "ac-none", Status: criteria.Verified},
		{ID: "SEM-1#1", Status: criteria.Verified, Evidence: criteria.Evidence{Files: []string{"a\nb"}}}, {ID: "SEM-1#1", Status: criteria.Verified, Evidence: criteria.Evidence{Tests: make([]string, 101)}}, {ID: "SEM-1#1", Status: criteria.Verified, Evidence: criteria.Evidence{Notes: "\x00"}},
		{ID: "SEM-1#1", Status: criteria.Verified, Evidence: criteria.Evidence{Files: []string{"a.go:3", filepath.Join(repo.Dir, "a.go")}, Screenshots: []string{"shots/a.png"}, Tests: []string{"TestA"}, Notes: "seen"}, Notes: "twice", Folder: repo.Dir, Session: "s-1"},
		{ID: "SEM-1#1", Status: criteria.Verified, Evidence: criteria.Evidence{Files: []string{"none.go"}}, Folder: repo.Dir}, {ID: "SEM-1#1", Status: criteria.Verified, Evidence: criteria.Evidence{Commits: []string{"HEAD"}}, Folder: repo.Dir},
		{ID: "SEM-1#1", Status: criteria.Verified, Evidence: criteria.Evidence{Commits: []string{"nowhere"}}, Folder: repo.Dir}, {ID: "SEM-1#1", Status: criteria.Verified, Evidence: criteria.Evidence{Commits: []string{"HEAD"}}, Folder: t.TempDir()}, {ID: "SEM-1#1", Status: criteria.Verified, Folder: filepath.Join(repo.Dir, "none")},
		{ID: "sem-1#2", Status: criteria.Failed, Notes: "it is slow"}, {ID: "SEM-1#2", Status: criteria.Failed, Notes: "still"},
	} {
		verifies(v)
	}
	counts()
	updates("SEM-1#1", nil, nil)
	updates("SEM-1#1", to(" "), nil)
	updates("SEM-1#1", nil, to("done"))
	updates("SEM-1#1", to("is fast."), nil)
	updates("SEM-1#1", to("paints the door green"), nil)
	updates("SEM-1#2", nil, to(criteria.Failed))
	updates("SEM-1#2", nil, to(criteria.Blocked))
	updates("SEM-1#2", to("is told to all"), to(criteria.InProgress))
	updates("SEM-1#2", nil, to(criteria.Failed))
	updates("SEM-1#3", nil, to(criteria.Verified))
	counts()
	reads(criteria.Found{Text: "may be small", Unsure: true, Why: "a guess"}, criteria.Found{Text: "could be new", Unsure: true, Why: "a guess"})
	counts()
	updates("SEM-1#2", to("could be new"), nil)
	st.NeedEvidence = true
	verifies(criteria.Verdict{ID: "SEM-1#1", Status: criteria.Verified})
	updates("SEM-1#1", nil, to(criteria.Verified))
	verifies(criteria.Verdict{ID: "SEM-1#1", Status: criteria.Verified, Notes: "seen"})
	for i := range 5 {
		verifies(criteria.Verdict{ID: fmt.Sprintf("SEM-1#%d", i+1), Status: criteria.Verified, Notes: "seen"})
	}
	counts()
	write(func(tx *registry.Tx) error {
		other, err := work.Create(tx, work.NewItem{ProjectID: item.ProjectID, Kind: work.KindTicket, Ref: "SEM-2", Keyed: true, Title: "y", Status: "todo"})
		if err == nil {
			err = work.Link(tx, work.Edge{Source: other.ID, Target: item.ID, Relation: work.Blocks})
		}
		return err
	})
	counts()
	ids, err := st.IDs(t.Context(), who, criteria.Prefix)
	step("ids", fmt.Sprint(len(ids)), err)
	goldentest.Same(t, "criteria.txt", strings.NewReplacer(repo.Dir, "REPO", repo.Head(), "<commit>").Replace(tidy(b.String())), *update)
}

// tidy leaves out the names of temporary folders.
func tidy(s string) string {
	for {
		at := strings.Index(s, os.TempDir()+"/TestStory")
		if at < 0 {
			return s
		}
		end := at + strings.IndexAny(s[at:], "\" \n,]")
		s = s[:at] + "FOLDER" + s[end:]
	}
}

// Evidence as tools give it.
func TestParseEvidence(t *testing.T) {
	for _, c := range []struct {
		given map[string]any
		want  string
	}{
		{map[string]any{"files": []any{"a", "b"}, "tests": "t", "notes": "n", "commits": []any{}, "screenshots": "s"}, "{Files:[a b] Tests:[t] Commits:[] Screenshots:[s] Notes:n}"},
		{map[string]any{"pages": "a"}, `evidence has no "pages"`}, {map[string]any{"notes": 3}, `evidence has no "notes"`}, {map[string]any{"files": 3}, "files of the evidence is not a list"},
		{map[string]any{"files": []any{3}}, "files of the evidence holds something other than texts"}, {nil, "{Files:[] Tests:[] Commits:[] Screenshots:[] Notes:}"},
	} {
		e, err := criteria.ParseEvidence(c.given)
		got := fmt.Sprintf("%+v", e)
		if err != nil {
			got = fault.From(err).Message
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.given, got, c.want)
		}
		if e.Empty() != (len(c.given) != 5 || err != nil) {
			t.Errorf("%v is empty: %t", c.given, e.Empty())
		}
	}
	for _, e := range []criteria.Evidence{{Files: []string{"a"}}, {Tests: []string{"a"}}, {Commits: []string{"a"}}, {Screenshots: []string{"a"}}, {Notes: "a"}} {
		if e.Empty() {
			t.Errorf("%+v is empty", e)
		}
	}
}
