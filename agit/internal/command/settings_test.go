package command

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// A folder that no worktree of the repository could be made in is refused, there and in its worktrees; elsewhere no folder is.
func TestCheckWorktreeDir(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("first", "src/a", "1\n")
	tree := r.Worktree("w")
	for dir, want := range map[string]string{".": "is the repository itself", ".git/x": "belongs to git", "src": "has files of the repository", "trees": "", "~/trees": "", "..": ""} {
		for at, refused := range map[string]bool{r.Dir: want != "", tree.Dir: want != "", t.TempDir(): false} {
			err := checkSettingIn(&cli.Env{Dir: at})("worktree.dir", dir)
			if refused != (err != nil) || refused && (!fault.Is(err, fault.KindValidation) || !strings.HasPrefix(err.Error(), "worktree.dir has a wrong value: ") || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s in %s: %v", dir, at, err)
			}
		}
	}
	if err := checkSettingIn(&cli.Env{Dir: r.Dir})("worktree.dir"); err != nil {
		t.Errorf("no value: %v", err)
	}
	if err := checkSettingIn(&cli.Env{Dir: r.Dir})("work.budget", "foo"); !fault.Is(err, fault.KindValidation) {
		t.Errorf("another key: %v", err)
	}
}

// A setting that would end every agit work is refused under the name of its key.
func TestCheckSetting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key    string
		values []string
		want   string // of the error; empty for none
	}{
		{"work.budget", []string{"20usd/day", "1,5 eur/task"}, ""},
		{"work.budget", []string{"20usd/day", "foo"}, `work.budget has a wrong value: "foo" is not a budget; write it like 20usd/day, 5eur/task, 2M tokens/task or 500k tokens/day`},
		{"work.allow", []string{"shell(make *)"}, ""},
		{"work.allow", []string{"shell("}, `work.allow has a wrong value: "shell(" is not a rule; write shell(make *), edit(worktree), read(*), fetch(*), mcp(agit) or tool(NAME)`},
		{"work.ask", []string{"x"}, `work.ask has a wrong value: "x" is not a rule; write shell(make *), edit(worktree), read(*), fetch(*), mcp(agit) or tool(NAME)`},
		{"work.deny", []string{"read(*)", "x"}, `work.deny has a wrong value: "x" is not a rule; write shell(make *), edit(worktree), read(*), fetch(*), mcp(agit) or tool(NAME)`},
		{"work.client", []string{"claude, codex"}, ""},
		{"work.client", []string{""}, ""},
		{"work.client", []string{"claude,code"}, `work.client has a wrong value: "code" is not one of the clients: `},
		{"land", []string{"foo"}, ""}, // the type of the key refuses it
	} {
		err := checkSetting(c.key, c.values...)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s %q: %v", c.key, c.values, err)
			}
			continue
		}
		if !fault.Is(err, fault.KindValidation) || len(err.Error()) < len(c.want) || err.Error()[:len(c.want)] != c.want {
			t.Errorf("%s %q: %v", c.key, c.values, err)
		}
	}
}
