package command

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/work"
)

// TestWorkOptions holds what each flag of a worker becomes, and what the configuration has where a flag is left out.
func TestWorkOptions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the client is a shell script")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for _, program := range []string{"claude", "codex"} {
		gittest.WriteProgram(t, filepath.Join(bin, program), "#!/bin/sh\n")
	}
	type shown struct {
		Agents, Clients, More, Pass, Tries, Capabilities []string
		Limit, Idle, Pause                               time.Duration
		Attempts, Tasks, Budgets                         int
		Empty, Leave, Speaks                             bool
		Land, Asker, Version                             string
		Priority                                         work.Priority
	}
	read := func(environ []string, args ...string) shown {
		t.Helper()
		run := clitest.NewRun(t)
		run.Environ = environ
		o, err := clitest.Options(run.Env, newWork, args...)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		u, err := o.options(t.Context())
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if run.Readers != 2 {
			t.Errorf("%d connections read", run.Readers)
		}
		s := shown{
			Agents: u.Agents, More: u.More, Pass: u.Pass, Capabilities: u.Capabilities, Limit: u.Limit, Idle: u.Idle, Pause: u.Pause, Attempts: u.Attempts, Tasks: u.Tasks, Budgets: len(u.Budgets),
			Empty: u.UntilEmpty, Leave: u.Leave, Land: u.Land, Asker: u.Asker.Agent, Version: u.Version, Priority: u.MinPriority,
		}
		for _, c := range u.Clients {
			s.Clients = append(s.Clients, c.Name+" "+strings.TrimPrefix(strings.Join(c.Command[:min(len(c.Command), 2)], " "), bin+"/"))
			s.Speaks = c.Speaks
		}
		for _, c := range u.Tries {
			s.Tries = append(s.Tries, c.Name)
		}
		return s
	}
	plain := read(nil, "--agent", "ann", "--", "/bin/sh", "-c")
	want := shown{Agents: []string{"ann"}, Clients: []string{"sh /bin/sh -c"}, Limit: plain.Limit, Idle: plain.Idle, Attempts: 3, Budgets: 0, Version: cli.Version}
	if diff := cmp.Diff(want, plain); diff != "" || plain.Limit <= plain.Idle || plain.Idle < time.Minute {
		t.Errorf("by default: %s", diff)
	}
	want = shown{
		Agents: []string{"bob-1", "bob-2"}, Clients: []string{"claude claude", "codex codex exec"}, More: []string{"--model", "x"}, Pass: []string{"A", "B*"}, Tries: []string{"claude", "codex", "claude"}, Capabilities: []string{"go", "sql"},
		Limit: 45 * time.Minute, Idle: 10 * time.Minute, Pause: 5 * time.Second, Attempts: 7, Tasks: 2, Budgets: 2, Empty: true, Leave: true, Land: "gate", Asker: "eve", Version: cli.Version, Priority: work.PriorityHigh,
	}
	got := read([]string{"AGIT_AGENT=eve"}, "--agent", "bob", "--workers", "2", "--client", "claude, codex", "--limit", "45m", "--idle", "10m", "--pause", "5s", "--tasks", "2", "--until-empty", "--attempts", "7", "--no-commit", "--land", "gate",
		"--env", "A,B*", "--budget", "20usd/day,2M tokens/task", "--tries", "3", "--capabilities", "go,sql", "--priority", "high", "--", "--model", "x")
	for i, c := range got.Clients {
		name, command, _ := strings.Cut(c, " ")
		got.Clients[i] = name + " " + strings.Join(strings.Fields(command)[:len(strings.Fields(want.Clients[min(i, 1)]))-1], " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with all flags: %s", diff)
	}
	if got := read([]string{"AGIT_AGENT=eve"}, "--acp", "--", "/bin/sh"); !slices.Equal(got.Agents, []string{"eve"}) || !got.Speaks {
		t.Errorf("a program that speaks the protocol: %+v", got)
	}
}
