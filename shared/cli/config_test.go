package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func (x *fixture) write(path, text string) {
	x.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		x.t.Fatal(err)
	}
}

func TestConfigCommands(t *testing.T) {
	x := newFixture(t)
	file := filepath.Join(x.env.UserHome, ".agit", "config.toml")
	ok := func(want string, args ...string) {
		t.Helper()
		if got := x.run(args...); got != 0 || x.out.String() != want {
			t.Errorf("%q: status %d, %q, %q", args, got, x.out, x.errs)
		}
	}
	ok("", "config", "set", "agent.stale_after", "10m")
	ok("10m\n", "config", "get", "agent.stale_after")
	ok(`{"key":"agent.stale_after","value":"10m","origin":"~/.agit/config.toml:2","doc":"silence after which a sweep marks an agent disconnected"}`+"\n",
		"config", "get", "agent.stale_after", "--json")
	ok("", "config", "set", "hooks.post_spawn", "npm ci", "make", "-q")
	ok("[\"npm ci\",\"make\"]\n", "config", "get", "hooks.post_spawn")
	ok("", "config", "unset", "agent.stale_after")
	ok("built-in\n", "config", "get", "agent.stale_after", "--jq", ".origin")
	ok(file+"\n", "config", "path", "--jq", ".file")
	ok("~/.agit/config.toml:4\n", "config", "show", "--jq", `.settings[] | select(.key == "hooks.post_spawn") | .origin`)

	if got := x.run("config", "set", "providers.linear.api_key", "hunter2"); got != 2 || strings.Contains(x.errs.String(), "hunter2") {
		t.Errorf("a secret as an argument: %d, %q", got, x.errs)
	}
	x.in.WriteString("hunter2\n")
	ok("", "config", "set", "providers.linear.api_key", "-")
	ok("********\n", "config", "get", "providers.linear.api_key")
	if text, _ := os.ReadFile(file); !strings.Contains(string(text), `api_key = "hunter2"`) {
		t.Errorf("stored %q", text)
	}
	if got := x.run("config", "get", "agent.stale"); got != 3 || !strings.Contains(x.errs.String(), "agent.stale_after") {
		t.Errorf("unknown key: %d, %q", got, x.errs)
	}
	if got := x.run("config", "set", "agent.stale_after", "soon"); got != 2 {
		t.Errorf("wrong value: %d, %q", got, x.errs)
	}
	x.env.CheckSetting = func(key string, values ...string) error {
		if key == "work.budget" && slices.Contains(values, "foo") {
			return fault.Validation(key, "no budget")
		}
		return nil
	}
	for _, list := range [][]string{{"Work.Budget", "foo"}, {"work.budget", `["5usd/day", "foo"]`}} {
		if got := x.run(append([]string{"config", "set"}, list...)...); got != 2 || !strings.Contains(x.errs.String(), "no budget") {
			t.Errorf("a value that the program refuses: %d, %q", got, x.errs)
		}
	}
	ok("[]\n", "config", "get", "work.budget")
	ok("", "config", "set", "work.budget", "5usd/day")
}

func TestConfigWarnings(t *testing.T) {
	x := newFixture(t)
	x.write(filepath.Join(x.env.Dir, ".agit.toml"), "colour = 1\nhooks.post_spawn = [\"true\"]\n")
	x.run("config", "get", "log.level", "--json")
	if got := x.errs.String(); got != "warning: .agit.toml:1: unknown configuration key colour\n" {
		t.Errorf("%q", got)
	}
	x.run("config", "show")
	if !strings.Contains(x.errs.String(), "hooks.post_spawn in .agit.toml") {
		t.Errorf("show does not say what waits for trust: %q", x.errs)
	}
}

func TestConfigTrust(t *testing.T) {
	x := newFixture(t)
	if got := x.run("config", "trust"); got != 3 {
		t.Errorf("nothing to trust: %d, %q", got, x.errs)
	}
	repo := gittest.New(t)
	x.env.Dir = repo.Dir
	x.write(filepath.Join(repo.Dir, ".agit.toml"), "hooks.post_spawn = [\"echo \\u001b[2J\"]\n")
	if got := x.run("config", "trust"); got != 2 || !strings.Contains(x.errs.String(), "--yes") {
		t.Errorf("nobody to ask: %d, %q", got, x.errs)
	}
	if !strings.Contains(x.errs.String(), `hooks.post_spawn = ["echo \u001b[2J"]`) {
		t.Errorf("what is trusted is not shown: %q", x.errs)
	}
	if got := x.run("config", "trust", "--yes", "--jq", ".files[].state"); got != 0 || x.out.String() != "trusted\n" {
		t.Errorf("%d, %q, %q", got, x.out, x.errs)
	}
	// Trust in the repository holds in a worktree with the same content.
	linked := filepath.Join(t.TempDir(), "linked")
	repo.Git("add", ".agit.toml")
	repo.Git("commit", "-q", "-m", "config")
	repo.Git("worktree", "add", "-q", linked)
	x.env.Dir = linked
	x.run("config", "get", "hooks.post_spawn", "--jq", ".value | length")
	if x.out.String() != "1\n" {
		t.Errorf("in a worktree: %q, %q", x.out, x.errs)
	}
	if x.run("config", "untrust"); x.out.String() != ".agit.toml\tuntrusted\t1 setting\n" {
		t.Errorf("%q, %q", x.out, x.errs)
	}
}
