package record_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/record"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// oid returns a full hash that begins with some digits.
func oid(begins string) string { return begins + strings.Repeat("0", 40-len(begins)) }

func (w *world) commit(c record.Commit) record.Commit {
	w.Helper()
	c.By.Place = w.place
	out, err := w.store.Commit(w.Context(), c)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// A commit replaces the one it amends, unless that was graded: then both count as work done.
func TestAmendedCommits(t *testing.T) {
	w := newWorld(t)
	at := timestamp.Of(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	w.commit(record.Commit{By: w.by("ann"), OID: oid("a1"), Subject: "first", At: at})
	if n := w.count(`SELECT COUNT(*) FROM commits WHERE at = ?`, registry.FormatTime(at.Time)); n != 1 {
		t.Error("the time of the commit was not kept")
	}
	if c := w.commit(record.Commit{By: w.by("ann"), OID: oid("a2"), Subject: "first, again", Amends: oid("a1")}); c.New {
		t.Error("a commit that amends counted")
	}
	if n := w.count(`SELECT COUNT(*) FROM commits WHERE oid = ? AND subject = 'first, again'`, oid("a2")); n != 1 || w.count(`SELECT COUNT(*) FROM commits`) != 1 {
		t.Error("the amended commit did not take the place of the first")
	}
	w.grade(w.store, "ann", oid("a2"), 2, 2)
	if c := w.commit(record.Commit{By: w.by("ann"), OID: oid("a3"), Amends: oid("a2")}); !c.New || w.count(`SELECT COUNT(*) FROM commits`) != 2 {
		t.Error("a graded commit was replaced")
	}
	w.stands(w.store, "ann", 1, "1.0", 4, 2, 0, false)
}

// A commit without an agent belongs to the only agent with a session open in its folder.
func TestWhoseACommitIs(t *testing.T) {
	w := newWorld(t)
	for i, name := range []string{"ann", "bob", "cid"} {
		w.commit(record.Commit{By: w.by(name), OID: oid("b" + string(rune('1'+i)))})
		folder := []string{"/one", "/two", "/two"}[i]
		w.exec(`INSERT INTO sessions (uid, ref, project_id, agent_id, lane, status, host, folder, started_at, last_event_at)
			SELECT '` + registry.NewUID() + `', 's-` + name + `', p.id, a.id, 'agent:` + name + `', 'active', '` + registry.Host() + `', '` + folder + `', '2026', '2026'
			FROM projects p, agents a WHERE a.name = '` + name + `'`)
	}
	for folder, want := range map[string]string{"/one": "ann", "/two": "", "/three": ""} {
		if c := w.commit(record.Commit{OID: oid("c" + folder[1:2]), Folder: folder}); c.BookedOn.Agent != want {
			t.Errorf("a commit in %s was booked on %q, want %q", folder, c.BookedOn.Agent, want)
		}
	}
	if c := w.commit(record.Commit{By: w.by("bob"), OID: oid("d1"), Folder: "/one"}); c.BookedOn.Agent != "bob" {
		t.Errorf("a named agent lost its commit to %q", c.BookedOn.Agent)
	}
}

func TestABugNamesTheWholeCommit(t *testing.T) {
	w := newWorld(t)
	w.commit(record.Commit{By: w.by("ann"), OID: oid("abcd1")})
	w.commit(record.Commit{By: w.by("ann"), OID: oid("abcd2")})
	for _, given := range []string{"abcd1", oid("abcd1")} {
		if _, err := w.store.Bug(t.Context(), record.Bug{By: w.by("ann"), Commit: given}); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.count(`SELECT COUNT(*) FROM score_events WHERE kind = 'bug' AND oid = ?`, oid("abcd1")); n != 2 {
		t.Errorf("%d bugs of the commit", n)
	}
	_, err := w.store.Bug(t.Context(), record.Bug{By: w.by("ann"), Commit: "abcd"})
	if !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), oid("abcd2")) {
		t.Errorf("a hash that two commits begin with: %v", err)
	}
	for _, passing := range []string{"HEAD", "@", "HEAD~2", "main^", "HEAD@{1}", ":/fix"} {
		if _, err := w.store.Bug(t.Context(), record.Bug{By: w.by("ann"), Commit: passing}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s was kept: %v", passing, err)
		}
	}
}

// A retrospective without grades and scores takes those of the commit, and the current score.
func TestARetrospectiveIsCompleted(t *testing.T) {
	w := newWorld(t)
	w.grade(w.store, "ann", oid("e1"), 2, 5)
	before := int64(3)
	r, err := w.store.Retrospect(t.Context(), record.Retrospective{By: w.by("ann"), Commit: oid("e1"), AgentGrade: 1, ScoreBefore: &before})
	if err != nil {
		t.Fatal(err)
	}
	if r.AgentGrade != 1 || r.UserGrade != 5 || r.ScoreBefore != 3 || r.ScoreAfter != 7 {
		t.Errorf("got grades %d and %d, scores %d to %d", r.AgentGrade, r.UserGrade, r.ScoreBefore, r.ScoreAfter)
	}
}
