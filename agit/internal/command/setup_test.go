package command

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
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
