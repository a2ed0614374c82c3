package command

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestSetupOptions(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	o, err := clitest.Options(env, newSetup, "codex", "--servers", "agit,memoryd", "--grades")
	if err != nil || !slices.Equal(o.Clients, []string{"codex"}) || !slices.Equal(o.Servers, []string{"agit", "memoryd"}) || o.Grades == nil || !*o.Grades || o.NoServers {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = clitest.Options(env, newSetup, "--no-servers", "--grades=false"); err != nil || !o.NoServers || o.Grades == nil || *o.Grades {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = clitest.Options(env, newSetup); err != nil || o.NoServers || o.Grades != nil {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{"--servers", "agit", "--no-servers"}, {"--remove", "--no-servers"}, {"--check", "--remove"}, {"--diff"}, {"--commit", "--global"}} {
		if o, err := clitest.Options(env, newSetup, args...); err == nil {
			t.Errorf("%q is not refused: %+v", args, o)
		}
	}
}

// A commit of the set-up needs a working tree.
func TestSetupCommitsInAWorkingTree(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	env := clitest.NewRun(t).Env
	beside := t.TempDir()
	r.Git("clone", "-q", "--bare", r.Dir, beside+"/.git")
	for dir, refused := range map[string]bool{r.Dir: false, beside: true, t.TempDir(): true} {
		env.Dir = dir
		o, err := clitest.Options(env, newSetup, "--commit")
		if err != nil {
			t.Fatal(err)
		}
		if s, err := o.begin(); (err != nil) != refused {
			t.Errorf("in %s: %+v, %v", dir, s, err)
		}
	}
}

// Commands about all repositories do so only when told.
func TestAllIsAChoice(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	if o, err := clitest.Options(env, newStatus); err != nil || o.All {
		t.Errorf("status: %+v, %v", o, err)
	}
	if o, err := clitest.Options(env, newWatch); err != nil || o.All {
		t.Errorf("watch: %+v, %v", o, err)
	}
}
