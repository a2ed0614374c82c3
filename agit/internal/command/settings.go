package command

import (
	"strings"

	"github.com/agit-suite/agit/agit/internal/run/budget"
	"github.com/agit-suite/agit/agit/internal/run/policy"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/shared/fault"
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
	err := check(values)
	if err == nil {
		return nil
	}
	f := fault.From(err)
	return fault.Validation(key, "%s has a wrong value: %s", key, f.Message).WithHint("%s", f.Hint)
}
