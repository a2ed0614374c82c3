package config

import (
	"fmt"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// repoValues are the typed settings of one [[repo]] table, by key inside it.
type repoValues struct {
	name   string
	from   string // where its first table stands
	values map[string]any
}

// addRepos takes over the [[repo]] tables of one file, merging each with those
// of the same name, in any case, in earlier layers.
func (l *loader) addRepos(f *file, raw any) error {
	tables, ok := raw.([]any)
	if !ok {
		return fault.Validation(repoSection, "%s: repo must be a list of tables; write [[repo]] with a name in each", f.at(repoSection))
	}
	seen := map[string]bool{}
	for i, element := range tables {
		at := fmt.Sprintf("%s[%d]", repoSection, i)
		table, ok := element.(map[string]any)
		name, _ := table["name"].(string)
		switch {
		case !ok:
			return fault.Validation(repoSection, "%s: each repo must be a table", f.at(at))
		case name == "":
			return fault.Validation("repo.name", "%s: a [[repo]] table needs a name", f.at(at))
		case seen[text.Key(name)]:
			return fault.Validation("repo.name", "%s: there is a second [[repo]] table named %q", f.at(at), name)
		}
		seen[text.Key(name)] = true
		delete(table, "name")
		if err := l.take(f, table, repoSchema(), at+".", repoKey(name, ""), l.repo(name, f.at(at)).values); err != nil {
			return err
		}
	}
	return nil
}

// repo finds or makes the values of the named table, which stands at from.
func (l *loader) repo(name, from string) *repoValues {
	for i := range l.repos {
		if text.Key(l.repos[i].name) == text.Key(name) {
			return &l.repos[i]
		}
	}
	l.repos = append(l.repos, repoValues{name: name, from: from, values: map[string]any{}})
	return &l.repos[len(l.repos)-1]
}

// repoKey returns the name of a key of a [[repo]] table, the same for each case of the repository's name.
func repoKey(repo, field string) string { return fmt.Sprintf("repo[%s].%s", text.Key(repo), field) }
