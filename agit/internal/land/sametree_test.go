package land_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
)

// A gate judges the bytes that land: an attribute that is in no commit must not show it others. The commit's own attributes and line ends
// are applied.
func TestGateSeesWhatLands(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings, attributes, committed string // of the repository, in info/attributes, in .gitattributes
		refused                         bool
	}{
		"nothing":                         {},
		"a filter in no commit":           {"filter.x.smudge=sed s/1/0/", "check.sh filter=x\n", "", true},
		"a filter that cleans up":         {"filter.x.smudge=sed s/1/0/ filter.x.clean=sed s/0/1/", "check.sh filter=x\n", "", true},
		"an encoding in no commit":        {"", "check.sh working-tree-encoding=UTF-16\n", "", true},
		"a committed filter":              {"filter.x.smudge=sed s/1/0/ filter.x.clean=sed s/0/1/", "", "check.sh filter=x\n", false},
		"line ends as git is set":         {"core.autocrlf=true", "", "", false},
		"line ends as the commit asks":    {"", "", "check.sh text eol=crlf\n", false},
		"line ends in no commit":          {"", "check.sh text eol=crlf\n", "", true},
		"an attribute that does not show": {"", "check.sh -diff\n", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := worktreetest.New(t)
			f.Main.Commit("Check", "check.sh", "exit 1\n", ".gitattributes", c.committed)
			w := f.Spawn(spawn.Request{Task: "red"})
			f.Tree(w).Commit("Red", "b.txt", "red\n")
			for _, setting := range strings.Split(strings.ReplaceAll(c.settings, " filter", "\nfilter"), "\n") {
				if key, value, ok := strings.Cut(setting, "="); ok {
					f.Main.Git("config", key, value)
				}
			}
			f.Main.Write(".git/info/attributes", c.attributes)
			_, err := landing(f, w.Ref, func(o *land.Request) { o.Gate = []string{"true"} })
			if !c.refused && err != nil || c.refused && (!fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "check.sh")) {
				t.Error(err)
			}
		})
	}
}
