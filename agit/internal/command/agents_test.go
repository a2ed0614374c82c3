package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
)

// TestAgentFlags holds that what a flag of agents means is what the subcommand of its name means.
func TestAgentFlags(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	for _, c := range []struct {
		flags string
		want  func(*cli.Env) (any, error)
	}{
		{"", meaning(newAgentList)},
		{"--register ann --type claude --capabilities go,sql", meaning(newAgentRegister, "ann", "--type", "claude", "--capabilities", "go,sql")},
		{"--heartbeat ann", meaning(newAgentHeartbeat, "ann")},
		{"--sweep", meaning(newAgentSweep)},
		{"--sweep --release", meaning(newAgentSweep, "--release")},
		{"--sweep=false", meaning(newAgentList)},
		{"--remove ann --dry-run", meaning(newAgentRemove, "ann", "--dry-run")},
		{"--remove ann --yes", meaning(newAgentRemove, "ann", "--yes")},
	} {
		want, err := c.want(env)
		if err != nil {
			t.Errorf("the subcommand for %q: %v", c.flags, err)
			continue
		}
		got, err := clitest.Options(env, newAgentFlags, strings.Fields(c.flags)...)
		if err != nil {
			t.Errorf("%q: %v", c.flags, err)
			continue
		}
		if diff := cmp.Diff(want, got.action.options, sameOptions); diff != "" {
			t.Errorf("%q: (-subcommand +flag)\n%s", c.flags, diff)
		}
	}
}

func TestAgentFlagsRefused(t *testing.T) {
	t.Parallel()
	env := clitest.NewRun(t).Env
	for args, want := range map[string]string{
		"--register ann --sweep":       "cannot be done at once",
		"--heartbeat ann --remove ann": "cannot be done at once",
		"--sweep --remove ann":         "cannot be done at once",
		"--release":                    "--release goes with --sweep",
		"--heartbeat ann --release":    "--release goes with --sweep",
		"--type claude":                "go with --register",
		"--capabilities go --sweep":    "go with --register",
		"ann":                          "takes no argument",
	} {
		if _, err := clitest.Options(env, newAgentFlags, strings.Fields(args)...); !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
	for name, refused := range map[string]func(*cli.Env) (any, error){
		"register without a name": meaning(newAgentRegister),
		"register of two":         meaning(newAgentRegister, "ann", "bob"),
		"heartbeat of no agent":   meaning(newAgentHeartbeat),
		"remove of an empty name": meaning(newAgentRemove, ""),
		"an argument of list":     meaning(newAgentList, "ann"),
		"an argument of sweep":    meaning(newAgentSweep, "ann"),
		"list with a release":     meaning(newAgentList, "--release"),
	} {
		if got, err := refused(env); err == nil {
			t.Errorf("%s is not refused: %+v", name, got)
		}
	}
}

// TestAgentRun calls the run functions with options of their own.
func TestAgentRun(t *testing.T) {
	t.Parallel()
	run := taskRun(t)
	status := func() string {
		t.Helper()
		s, err := open(t.Context(), run.Env)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Roster.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var each []string
		for _, a := range all {
			each = append(each, a.Name+" "+a.Type+" "+a.Status)
		}
		return strings.Join(each, ", ")
	}
	if err := changing(run.Env, runAgentRegister)(t.Context(), &agentRegisterOptions{env: run.Env, Registration: agent.Registration{Name: "ann", Type: "claude"}}); err != nil || status() != "ann claude active" {
		t.Fatalf("%v: %s", err, status())
	}
	if err := changing(run.Env, runAgentHeartbeat)(t.Context(), &nameOptions{run.Env, "bob"}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("a heartbeat of an agent that is not known: %v", err)
	}
	if err := changing(run.Env, runAgentSweep)(t.Context(), &agentSweepOptions{env: run.Env, Release: true}); err != nil || status() != "ann claude active" {
		t.Errorf("a sweep right after: %v: %s", err, status())
	}
	if _, err := do(t, run, changing(run.Env, runTaskCreate), &taskCreateOptions{env: run.Env, Text: "x", ID: "T-1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := do(t, run, changing(run.Env, runTaskClaim), &taskChange{env: run.Env, ID: "T-1", byAgent: byAgent{"ann"}}); err != nil {
		t.Fatal(err)
	}
	if err := changing(run.Env, runAgentRemove)(t.Context(), &agentRemoveOptions{env: run.Env, Name: "ann"}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("removed without a person's word: %v", err)
	}
	if got, err := do(t, run, changing(run.Env, runAgentRemove), &agentRemoveOptions{env: run.Env, Name: "ann", DryRun: true}); err != nil || got.Agent != "ann" {
		t.Errorf("a dry run: %+v, %v", got, err)
	}
	if got, err := do(t, run, changing(run.Env, runAgentRemove), &agentRemoveOptions{env: run.Env, Name: "ann", Yes: true}); err != nil || got.Agent != "" || status() != "" {
		t.Errorf("removed: %+v, %v, %s", got, err, status())
	}
}
