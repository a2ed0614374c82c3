package overview

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
	"github.com/agit-suite/agit/shared/sessions/usage"
)

// The screens show today's use: in all repositories, or in those of a project.
func TestSpentToday(t *testing.T) {
	t.Parallel()
	home, db := t.TempDir(), registrytest.Open(t)
	session := func(name, folder string) {
		c := sessionstest.Claude{Session: name, Folder: folder}
		sessionstest.Write(t, filepath.Join(home, ".claude/projects/-x", name+".jsonl"), sessionstest.Lines(c.Says(name, time.Now().UTC().Format(time.RFC3339), name, "text", 100000, 0)))
	}
	session("elsewhere", filepath.Join(home, "elsewhere"))
	g := gittest.New(t)
	g.Commit("first", "a.txt", "a")
	added, err := (&repo.Store{DB: db}).Add(t.Context(), repo.New{Path: g.Dir, Name: "app"})
	if err != nil {
		t.Fatal(err)
	}
	session("here", added.Repo.Path)
	s := New(Options{DB: db, Conflicts: &conflict.Store{DB: db, CacheDir: t.TempDir()}, Costs: &costs.Store{DB: db, Kept: usage.For(filepath.Join(home, ".agit"), home, nil, nil)}})
	spent := map[string]string{}
	var name string
	if err := db.Read(t.Context(), func(tx *registry.Tx) (err error) {
		name, err = registry.One[string](tx.QueryRow(`SELECT name FROM projects WHERE id = ?`, added.Repo.ProjectID))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, project := range []string{"", name} {
		state, err := s.State(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		spent[project] = state.Totals.Spent
	}
	if diff := cmp.Diff(map[string]string{"": "$1.00*", name: "$0.50*"}, spent); diff != "" {
		t.Error(diff)
	}
	in := inApp()
	in.today.Agents = map[string]costs.Sum{"ann": {Unpriced: 1}}
	in.meet("ann", presence.Working, "w-1")
	in.meet("ann", presence.Working, "w-2")
	if got := derive(in).Agents; got[0].Spent != "?" || got[1].Spent != "" {
		t.Errorf("%+v", got)
	}
	in = input{today: costs.Today{Agents: map[string]costs.Sum{"ann": {Unpriced: 1}}}}
	if got := derive(in); len(got.Agents) != 0 || got.Totals.Spent != "" {
		t.Errorf("%+v", got.Totals)
	}
}
