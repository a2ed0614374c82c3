package command

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// TestFirstStep: agit alone names the first step in a repository that is not registered, with a registry and without; elsewhere, and for
// programs, it prints its help.
func TestFirstStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inRepo, init bool
		args         []string
		first        bool
	}{
		"no registry":        {inRepo: true, first: true},
		"a registry":         {inRepo: true, init: true, first: true},
		"JSON":               {inRepo: true, args: []string{"--json"}},
		"no repository":      {},
		"no repository here": {init: true},
	} {
		run := clitest.NewRun(t)
		run.Env.Dir = t.TempDir()
		if c.inRepo {
			run.Env.Dir = gittest.New(t).Dir
		}
		if c.init {
			if status := cli.Main(t.Context(), run.Env, Root(run.Env, []string{"init"}), []string{"init"}); status != 0 {
				t.Fatal(run.Errs)
			}
			run.Out.Reset()
		}
		status := cli.Main(t.Context(), run.Env, Root(run.Env, c.args), c.args)
		out := run.Out.String()
		if first := strings.Contains(out, "is not registered yet\nnext: `agit add .`"); first != c.first || strings.Contains(out, "Usage") == c.first {
			t.Errorf("%s: status %d, %.200s%s", name, status, out, run.Errs)
		}
	}
}

func TestAnyRepo(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	if anyRepo(t.Context(), db) {
		t.Error("an empty registry has a repository")
	}
	if _, err := (&repo.Store{DB: db}).Add(t.Context(), repo.New{Path: gittest.New(t).Dir, Name: "app"}); err != nil {
		t.Fatal(err)
	}
	if !anyRepo(t.Context(), db) {
		t.Error("one is not found")
	}
}
