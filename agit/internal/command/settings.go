package command

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/budget"
	"github.com/agit-suite/agit/agit/internal/run/policy"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// settingChecks check the settings that end every agit work when they cannot be read.
var settingChecks = map[string]func([]string) error{
	"work.allow": checkRules, "work.ask": checkRules, "work.deny": checkRules,
	"work.budget": func(values []string) error { _, err := budget.Parse(values); return err },
	"work.client": func(values []string) error {
		if len(values) == 1 && values[0] == "" {
			return nil // no client is chosen
		}
		for name := range strings.SplitSeq(strings.Join(values, ","), ",") {
			if _, err := worker.Find(strings.TrimSpace(name)); err != nil {
				return err
			}
		}
		return nil
	},
}

func checkRules(values []string) error {
	_, err := policy.New("", "", values, nil, nil, nil)
	return err
}

// checkSetting returns what is wrong with the values of a setting, as a ValidationError that names its key.
func checkSetting(key string, values ...string) error {
	check := settingChecks[key]
	if check == nil {
		return nil
	}
	return wrongValue(key, check(values))
}

// wrongValue makes the error of a check one of the key; nil stays nil.
func wrongValue(key string, err error) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	return fault.Validation(key, "%s has a wrong value: %s", key, f.Message).WithHint("%s", f.Hint)
}

// checkSettingIn is checkSetting, which also refuses a folder of worktrees that none could be made in, in the repository of the current folder.
func checkSettingIn(env *cli.Env) func(key string, values ...string) error {
	return func(key string, values ...string) error {
		if key != "worktree.dir" || len(values) != 1 {
			return checkSetting(key, values...)
		}
		g, err := git.Find(env.Dir)
		if err == nil {
			g, err = g.Main()
		}
		if err != nil {
			return nil //nolint:nilerr // in no repository no folder is wrong
		}
		dir := worktree.FolderOf(repo.Repo{Path: g.Dir()}, worktree.Settings{Dir: values[0]})
		return wrongValue(key, checkout.Refuse(context.Background(), g, dir))
	}
}
