package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/agents"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

// patient is a Doctor of a registry with the repository "app" and two tasks, T-2 after T-1.
type patient struct {
	*Doctor
	*worktreetest.Fixture
	t *testing.T
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	f := worktreetest.New(t)
	_, err := (&task.Store{DB: f.DB}).Create(t.Context(), []task.New{{ID: "T-1", Repo: "app", Text: "One"}, {ID: "T-2", Repo: "app", Text: "Two", DependsOn: []string{"T-1"}}})
	worktreetest.Must(t, err)
	return &patient{&Doctor{Dir: f.Main.Dir, DB: f.DB, Config: config.Default(), Audits: f.Audits,
		Roster: &agents.Store{DB: f.DB, StaleAfter: time.Hour}}, f, t}
}

// check is the one check of a name among those that an area looks at.
func (p *patient) check(look func(context.Context, bool) ([]Check, error), fix bool, name string) (found Check) {
	p.t.Helper()
	checks, err := look(p.t.Context(), fix)
	worktreetest.Must(p.t, err)
	for _, c := range checks {
		if c.Name == name {
			return c
		}
	}
	p.t.Fatalf("%q is not among %+v", name, checks)
	return found
}

// A visit looks at everything, and says that something is wrong when one check is an error.
func TestVisit(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	r, err := p.Visit(t.Context(), false)
	worktreetest.Must(t, err)
	areas := map[string]bool{}
	for _, c := range r.Checks {
		areas[c.Category] = true
		if c.Category != "programs" && c.Category != "disk" && c.Status != OK {
			t.Errorf("%+v", c)
		}
	}
	for _, area := range []string{"programs", "registry", "disk", "git", "config", "repos", "worktrees", "agents", "tasks", "clients"} {
		if !areas[area] {
			t.Errorf("nothing was said of %s", area)
		}
	}
	p.Exec(`UPDATE items SET holds = 5 WHERE ref = 'T-1'`)
	if r, err = p.Visit(t.Context(), false); err != nil || r.OK {
		t.Errorf("with a wrong count: %+v, %v", r, err)
	}
	if _, err = p.Visit(t.Context(), true); err != nil {
		t.Error(err)
	}
	if c := p.check(p.dependencies, false, "dependencies"); c.Status != OK {
		t.Errorf("after a fix: %+v", c)
	}
}

// Counts of what items wait for are made again only by request.
func TestDependencies(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	p.Exec(`UPDATE items SET holds = 0 WHERE ref = 'T-2'`)
	for _, c := range []struct {
		fix  bool
		want Status
	}{{false, Error}, {false, Error}, {true, Fixed}, {true, OK}} {
		if got := p.check(p.dependencies, c.fix, "dependencies"); got.Status != c.want {
			t.Errorf("fix %t: %+v, want %s", c.fix, got, c.want)
		}
	}
	p.Exec(`INSERT INTO dependencies (uid, source_id, target_id, relation, notes, created_at) SELECT 'x', b.id, a.id, 'blocks', '', '2026-01-01T00:00:00.000Z'
		FROM items a, items b WHERE a.ref = 'T-1' AND b.ref = 'T-2'`)
	if c := p.check(p.dependencies, false, "cycle"); c.Status != Error || !strings.Contains(c.Message, "T-1") || !strings.Contains(c.Message, "T-2") {
		t.Errorf("%+v", c)
	}
	p.Write(func(tx *registry.Tx) error {
		n, err := work.Miscounted(tx)
		if n == 0 {
			t.Error("a look at cycles counted again")
		}
		return err
	})
}

// A repository that cannot be opened is an error.
func TestRepos(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	if c := p.check(p.repos, false, "repository app"); c.Status != OK || c.Message != p.Main.Dir {
		t.Errorf("%+v", c)
	}
	worktreetest.Must(t, os.Rename(filepath.Join(p.Main.Dir, ".git"), filepath.Join(p.Main.Dir, "away")))
	if c := p.check(p.repos, false, "repository app"); c.Status != Error || c.Fix == "" {
		t.Errorf("%+v", c)
	}
}

// An agent that is gone and holds a task is named with the step, and so is a clock that was ahead.
func TestAgents(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	_, err := (&task.Store{DB: p.Fixture.DB}).Claim(t.Context(), "T-1", "ann")
	worktreetest.Must(t, err)
	if c := p.check(p.agents, false, "agents"); c.Status != OK {
		t.Errorf("%+v", c)
	}
	p.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(-2*time.Hour))
	if c := p.check(p.agents, false, "agent ann"); c.Status != Warning || !strings.Contains(c.Message, "T-1") {
		t.Errorf("%+v", c)
	}
	p.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(2*time.Hour))
	if c := p.check(p.agents, false, "clock"); c.Status != Warning || !strings.Contains(c.Message, "ann") {
		t.Errorf("%+v", c)
	}
}

// Work that was cut off is mended by request; otherwise, and where it cannot be mended, it is an error with its reason.
func TestWorktrees(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	w := p.Worked("x")
	cut := func(journal string) {
		p.Exec(`UPDATE worktrees SET intent = 'merge', intent_host = ?, intent_pid = ?, intent_boot = 'before', intent_at = ?, intent_journal = ? WHERE id = ?`,
			registry.Host(), 1<<40, worktreetest.Stamp(-time.Hour), journal, w.ID)
	}
	for _, c := range []struct {
		journal string
		fix     bool
		want    Status
		part    string
	}{
		{"{", true, Error, "cannot be read"},
		{`{"before":"active"}`, false, Error, "`agit doctor --fix` will"},
		{`{"before":"active"}`, true, Fixed, ""},
	} {
		cut(c.journal)
		if got := p.check(p.worktrees, c.fix, "worktree "+w.Ref); got.Status != c.want || !strings.Contains(got.Message+"; "+got.Fix, c.part) {
			t.Errorf("%q, fix %t: %+v", c.journal, c.fix, got)
		}
	}
	if c := p.check(p.worktrees, false, "worktrees"); c.Status != OK {
		t.Errorf("after a fix: %+v", c)
	}
}

// The check of an unusable registry names the copies that it can be restored from.
func TestDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agit.db")
	r := Damaged(t.Context(), path, fault.Database(nil, "the file is not a database"))
	if len(r.Checks) != 1 || r.OK || r.Checks[0].Status != Error || !strings.Contains(r.Checks[0].Message, path) || !strings.Contains(r.Checks[0].Fix, "no copy") {
		t.Errorf("%+v", r)
	}
	if _, shut := Shut(path); shut {
		t.Error("a registry that is not there cannot be written")
	}
}

// A registry that cannot be opened for another reason is an error with that reason, and the room on its disk is looked at.
func TestUnopened(t *testing.T) {
	t.Parallel()
	r := Unopened(filepath.Join(t.TempDir(), "agit.db"), fault.Database(nil, "the disk of it is full").WithHint("free some"))
	if want := (Check{Name: "registry", Category: "registry", Status: Error, Message: "the disk of it is full", Fix: "free some"}); len(r.Checks) == 0 || r.OK || r.Checks[0] != want {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Checks[1:] {
		if c.Category != "disk" || !strings.Contains(c.Message, "where the registry is") {
			t.Errorf("%+v", c)
		}
	}
}

// A missing part that only deserves a warning, or that nothing configures, is not an error.
func TestQuietAreas(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	if checks, err := p.tracker(t.Context(), false); err != nil || checks != nil {
		t.Errorf("without a tracker: %+v, %v", checks, err)
	}
	if c := p.check(p.clients, false, "clients"); c.Status != OK || !strings.Contains(c.Message, "agit setup") {
		t.Errorf("%+v", c)
	}
	if c := p.check(p.git, false, "git"); !strings.Contains(c.Message, "git ") {
		t.Errorf("%+v", c)
	}
	if c := p.check(p.registry, false, "registry"); c.Status != OK || !strings.Contains(c.Message, "is sound") || !strings.Contains(c.Message, " MB of at most 513 MB") {
		t.Errorf("%+v", c)
	}
	if checks, err := p.leftovers(t.Context(), true); err != nil || checks != nil {
		t.Errorf("%+v, %v", checks, err)
	}
}
