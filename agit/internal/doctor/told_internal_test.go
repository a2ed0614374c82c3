package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/githook"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// all returns checks as lines.
func all(checks []Check) (lines []string) {
	for _, c := range checks {
		lines = append(lines, strings.TrimSpace(string(c.Status)+" "+c.Category+", "+c.Name+": "+c.Message+"; "+c.Fix))
	}
	return lines
}

// Hooks with lines of another version are written anew on request, and lines without their program on PATH are named.
func TestGitHooks(t *testing.T) {
	p := newPatient(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	look := func(fix bool) []string {
		t.Helper()
		checks, err := p.repos(t.Context(), fix)
		worktreetest.Must(t, err)
		var hooks []string
		for _, line := range all(checks) {
			if strings.Contains(line, " hooks, ") {
				hooks = append(hooks, strings.ReplaceAll(line, p.Main.Dir, "<repo>"))
			}
		}
		return hooks
	}
	if got := look(false); len(got) != 0 {
		t.Errorf("%q", got)
	}
	part := githook.Suite()[0]
	path, err := part.Path(t.Context(), p.Main.Dir)
	worktreetest.Must(t, err)
	if _, err := part.Install(path); err != nil {
		t.Fatal(err)
	}
	gone := "warning hooks, hook " + part.Hook + " of app: runs " + part.Program + ", which is not on PATH, so that it does nothing; put " + part.Program + " on PATH, or take the lines out with `" + part.Program + " hook remove`"
	if got := look(false); !cmp.Equal([]string{gone}, got) {
		t.Errorf("%q", got)
	}
	gittest.WriteProgram(t, filepath.Join(bin, part.Program), "#!/bin/sh\n")
	current := []string{"ok hooks, git hooks: what the suite added to them is current;"}
	if got := look(false); !cmp.Equal(current, got) {
		t.Errorf("%q", got)
	}
	text, err := os.ReadFile(path)
	worktreetest.Must(t, err)
	worktreetest.Must(t, os.WriteFile(path, []byte(strings.Replace(string(text), "|| true", "|| :", 1)), 0o755))
	stale := "warning hooks, hook " + part.Hook + " of app: the lines of " + part.Program + " in <repo>/.git/hooks/" + part.Hook + " are of another version; `agit doctor --fix` writes them anew"
	if got := look(false); !cmp.Equal([]string{stale}, got) {
		t.Errorf("%q", got)
	}
	fixed := "fixed hooks, hook " + part.Hook + " of app: the lines of " + part.Program + " in <repo>/.git/hooks/" + part.Hook + " are of another version; written anew"
	if got := look(true); !cmp.Equal([]string{fixed}, got) {
		t.Errorf("%q", got)
	}
	if got := look(true); !cmp.Equal(current, got) {
		t.Errorf("%q", got)
	}
}

// A driver that is installed and that a repository does not use is named with the way to use it.
func TestMergeDrivers(t *testing.T) {
	p := newPatient(t)
	t.Setenv("PATH", t.TempDir()+string(os.PathListSeparator)+os.Getenv("PATH"))
	drivers := func() (lines []string) {
		t.Helper()
		checks, err := p.repos(t.Context(), false)
		worktreetest.Must(t, err)
		for _, line := range all(checks) {
			if strings.Contains(line, "merge driver weave") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	if got := drivers(); len(got) != 0 {
		t.Skipf("one is installed here: %q", got)
	}
	gittest.WriteProgram(t, filepath.Join(filepath.SplitList(os.Getenv("PATH"))[0], "weave"), "#!/bin/sh\n")
	want := "warning git, merge driver weave: is installed and not used in app: conflicts are judged, and work is merged, by lines; `weave setup` in the repository writes the driver and its attributes"
	if got := drivers(); !cmp.Equal([]string{want}, got) {
		t.Errorf("%q", got)
	}
	p.Main.Git("config", "merge.weave.driver", "weave %O %A %B")
	p.Main.Write(".gitattributes", "* merge=weave\n")
	if got := drivers(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// Words of findings, of failures, of warnings of the configuration, and of what keeps a client.
func TestWordsOfChecks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		f    worktreecheck.Finding
		fix  bool
		want Check
	}{
		"of a person": {worktreecheck.Finding{Worktree: "w-1", Text: "it is broken", Remedy: "mend it"}, true, Check{"worktree w-1", "worktrees", Error, "it is broken", "mend it"}},
		"of hooks":    {worktreecheck.Finding{Kind: worktreecheck.HooksMissing, Text: "no hooks"}, true, Check{"worktree", "worktrees", Warning, "no hooks", ""}},
		"of none":     {worktreecheck.Finding{Text: "it is broken"}, false, Check{"worktree", "worktrees", Error, "it is broken", ""}},
	} {
		if diff := cmp.Diff(c.want, finding(t.Context(), c.f, c.fix)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff(Check{"x", "y", Error, "it is away", "try again"}, failed("x", "y", fault.Provider(nil, "it is away").WithHint("try again"))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Check{"x", "y", Error, "it is away: why", ""}, failed("x", "y", fault.Provider(errors.New("why"), "it is away"))); diff != "" {
		t.Error(diff)
	}
	shut := t.TempDir()
	c := Check{Status: OK}
	if got := canWrite(c, []string{shut, filepath.Join(shut, "none")}, "; or not"); got != c {
		t.Errorf("%+v", got)
	}
}

// The wall is what is configured, or there is none.
func TestSandbox(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	if checks, err := p.sandbox(t.Context(), false); err != nil || checks != nil {
		t.Errorf("%+v, %v", checks, err)
	}
	p.Wall = &wall.Wanted{}
	if c := p.check(p.sandbox, false, "sandbox"); c.Status != OK || !strings.HasPrefix(c.Message, "there is no wall around agents of `agit work`: work.sandbox is not set") {
		t.Errorf("%+v", c)
	}
}

// A worktree whose folder is gone is an error until it is taken off the lists, and its agent keeps nothing.
func TestWorktreesThatAreGone(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	w := p.Spawn(spawn.Request{Task: "x"})
	worktreetest.Must(t, os.RemoveAll(w.Path))
	want := Check{"worktree " + w.Ref, "worktrees", Error, "the folder of worktree " + w.Ref + " is gone from \"" + w.Path + "\"; if it was moved, `git worktree repair NEWPATH` connects it again", "`agit doctor --fix` will take it off the lists; its branch stays when it has commits of its own"}
	if diff := cmp.Diff(want, p.check(p.worktrees, false, want.Name)); diff != "" {
		t.Error(diff)
	}
	want.Status, want.Fix = Fixed, "take it off the lists; its branch stays when it has commits of its own"
	if diff := cmp.Diff(want, p.check(p.worktrees, true, want.Name)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"ok worktrees, worktrees: registry, git and folders agree;"}, func() []string { c, _ := p.worktrees(t.Context(), false); return all(c) }()); diff != "" {
		t.Error(diff)
	}
}

// Agents that are gone and hold a task, and clocks that are ahead, each with what to do.
func TestAgentsAreTold(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	tasks := &task.Store{DB: p.Fixture.DB}
	look := func() []string {
		t.Helper()
		checks, err := p.agents(t.Context(), false)
		worktreetest.Must(t, err)
		return all(checks)
	}
	fine := []string{"ok agents, agents: no disconnected agent holds a task;"}
	if diff := cmp.Diff(fine, look()); diff != "" {
		t.Error(diff)
	}
	_, err := tasks.Claim(t.Context(), "T-1", "ann b")
	worktreetest.Must(t, err)
	p.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(30*time.Second))
	if diff := cmp.Diff(fine, look()); diff != "" {
		t.Error(diff)
	}
	p.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(-2*time.Hour))
	if diff := cmp.Diff([]string{"warning agents, agent ann b: is disconnected and holds task T-1; `agit agents sweep --release` gives its tasks back"}, look()); diff != "" {
		t.Error(diff)
	}
	_, err = tasks.Report(t.Context(), task.Report{ID: "T-1", Status: task.Pending, Caller: task.Caller{Force: true}})
	worktreetest.Must(t, err)
	p.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(-2*time.Hour))
	if diff := cmp.Diff(fine, look()); diff != "" {
		t.Error(diff)
	}
	p.Exec(`UPDATE agents SET last_seen_at = ?`, registry.FormatTime(time.Now().Add(2*time.Hour+time.Second/2)))
	if got := look(); len(got) != 1 || !strings.HasPrefix(got[0], "warning agents, clock: agent ann b was last heard of 2h0m") || !strings.Contains(got[0], "`agit agents heartbeat 'ann b'` notes the time again") {
		t.Errorf("%q", got)
	}
}

// Copies that killed processes left are named, and removed on request.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	if p.Fixture.DB.Path() == "" || len(p.Fixture.DB.Leftovers()) != 0 {
		t.Skip("this registry leaves nothing")
	}
	checks, err := p.config(t.Context(), false)
	if diff := cmp.Diff([]string{"ok config, configuration: every key is known;"}, all(checks)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	p.Config = config.Default()
}
