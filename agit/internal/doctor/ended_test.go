package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// Questions to git end with their context, and are not taken for an answer.
func TestEndedQuestionsToGit(t *testing.T) {
	t.Parallel()
	g := gittest.New(t)
	g.Commit("one", "a.txt", "a\n")
	ended, end := context.WithCancel(t.Context())
	end()
	if used, err := usesDriver(ended, g.Repo(), []string{"weave"}); used || !errors.Is(err, context.Canceled) {
		t.Errorf("the driver: %t, %v", used, err)
	}
	if checks, err := (&Doctor{}).git(ended, false); checks != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("git: %+v, %v", checks, err)
	}
	checks, err := (&Doctor{}).git(t.Context(), false)
	if err != nil || len(checks) != 1 || checks[0].Status != OK || !strings.HasPrefix(checks[0].Message, "git 2.") {
		t.Errorf("git: %+v, %v", checks, err)
	}
}

// Without a wall in the configuration, one that works here is offered.
func TestAWallIsOffered(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have another wall")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	look := func() []string {
		t.Helper()
		checks, err := (&Doctor{Wall: &wall.Wanted{}}).sandbox(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		return all(checks)
	}
	none := "ok sandbox, sandbox: there is no wall around agents of `agit work`: work.sandbox is not set"
	if d := cmp.Diff([]string{none + ";"}, look()); d != "" {
		t.Error(d)
	}
	gittest.WriteProgram(t, filepath.Join(bin, "bwrap"), "#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != -- ]; do shift; done\n[ $# -gt 0 ] && shift\nexec \"$@\"\n")
	if d := cmp.Diff([]string{none + "; bwrap works here; `agit config set work.sandbox bwrap` puts it there"}, look()); d != "" {
		t.Error(d)
	}
}

// A version is found in the first 200 bytes of the first line that a program prints.
func TestVersionIn(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"claude 2.1.330 (Claude Code)": "2.1.330", "v1.9": "1.9", "codex-cli 0.169.0-alpha.1+b2\n3.4": "0.169.0-alpha.1+b2", "version 7": "", "": "", "\n\n 1.2 \n": "1.2",
		strings.Repeat("x", 197) + "1.2": "1.2", strings.Repeat("x", 197) + "1.23": "1.2", strings.Repeat("x", 198) + "1.2": "",
	} {
		if got := versionIn(said); got != want {
			t.Errorf("%.40q has version %q, want %q", said, got, want)
		}
	}
}

// A login is seen by the first variable that is set, else by a file that holds something.
func TestSeenLogins(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for path, text := range map[string]string{".claude/.credentials.json": "{ }", ".codex/auth.json": "{}", ".gemini/oauth_creds.json": ""} {
		at := filepath.Join(home, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ client, variable, want string }{
		{"claude", "", "~/.claude/.credentials.json"}, {"claude", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_VERTEX"}, {"codex", "", ""}, {"codex", "CODEX_API_KEY", "CODEX_API_KEY"}, {"gemini", "", ""}, {"gemini", "OPENAI_API_KEY", ""}, {"opencode", "", ""}, {"opencode", "OPENROUTER_API_KEY", "OPENROUTER_API_KEY"}, {"goose", "", ""},
	} {
		getenv := func(name string) string { return map[string]string{c.variable: "x"}[name] }
		if got := seenLogin(c.client, home, getenv); got != c.want {
			t.Errorf("%s with %q is logged in by %q, want %q", c.client, c.variable, got, c.want)
		}
	}
}

// The check of a client names its program, its version, its login and the rules that do not hold it.
func TestClientsInWords(t *testing.T) {
	t.Parallel()
	acp := [][]string{{"codex-acp"}}
	for name, c := range map[string]struct {
		w    clientWay
		want Check
	}{
		"by the protocol":       {clientWay{client: worker.Client{Name: "goose", Command: []string{"/opt/goose", "acp"}, Speaks: true}}, Check{Message: "`agit work` runs it over the Agent Client Protocol, by goose"}},
		"with a version":        {clientWay{client: worker.Client{Name: "codex", Command: []string{"codex"}}, version: "1.2", login: "X"}, Check{Message: "`agit work` runs it by its command line, codex 1.2; logged in by X"}},
		"without a login":       {clientWay{client: worker.Client{Name: "codex", Command: []string{"codex"}}}, Check{Message: "`agit work` runs it by its command line, codex; no login was seen"}},
		"held by nothing":       {clientWay{client: worker.Client{Name: "goose", Command: []string{"goose"}}, unheld: "it asks nothing"}, Check{Message: "`agit work` runs it by its command line, goose; it asks nothing"}},
		"with another program":  {clientWay{client: worker.Client{Name: "goose", Command: []string{"goose"}, ACP: acp}, unheld: "it asks nothing"}, Check{Message: "`agit work` runs it by its command line, goose; it asks nothing", Fix: "install codex-acp, by which it asks first"}},
		"with a reluctant one":  {clientWay{client: worker.Client{Name: "goose", Command: []string{"goose"}, ACP: acp, Reluctant: true}, unheld: "it asks nothing"}, Check{Message: "`agit work` runs it by its command line, goose; it asks nothing"}},
		"held, with a protocol": {clientWay{client: worker.Client{Name: "goose", Command: []string{"goose"}, ACP: acp}}, Check{Message: "`agit work` runs it by its command line, goose"}},
	} {
		c.want.Name, c.want.Category, c.want.Status = "client "+c.w.client.Name, "clients", OK
		if d := cmp.Diff(c.want, c.w.check()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	for _, c := range []struct {
		c    worker.Client
		want string
	}{
		{worker.Client{Name: "codex", Speaks: true}, ""}, {worker.Client{Name: "claude", Asks: true}, ""}, {worker.Client{Name: "codex"}, "its own sandbox holds it, not work.allow, work.ask and work.deny, and nothing is asked"}, {worker.Client{Name: "gemini"}, "it asks nothing, so that work.allow, work.ask and work.deny do not hold it"},
	} {
		if got := unheld(c.c); got != c.want {
			t.Errorf("%+v: %q, want %q", c.c, got, c.want)
		}
	}
}

// A repair that fails adds its reason to the finding, which stays an error.
func TestFindingsThatCanBeMended(t *testing.T) {
	t.Parallel()
	f := worktreecheck.Finding{Worktree: "w-1", Text: "it is gone", Remedy: "take it off"}
	if f.Fixable() {
		t.Error("a finding without a repair")
	}
	want := Check{"worktree w-1", "worktrees", Error, "it is gone", "take it off"}
	for _, fix := range []bool{false, true} {
		if d := cmp.Diff(want, finding(t.Context(), f, fix)); d != "" {
			t.Error(d)
		}
	}
}
