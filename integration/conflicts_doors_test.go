package integration

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// conflictDoc is a conflict in the form that every interface returns.
type conflictDoc struct {
	File          string   `json:"file"`
	Depth         string   `json:"depth"`
	DefaultBranch string   `json:"default_branch"`
	Lines         []string `json:"lines"`
	Kinds         []string `json:"kinds"`
	Worktrees     []struct {
		Agent string `json:"agent"`
	} `json:"worktrees"`
}

func (c conflictDoc) String() string {
	out := c.File + " " + c.Depth + " " + c.DefaultBranch
	for _, w := range c.Worktrees {
		out += " " + w.Agent
	}
	encoded, _ := json.Marshal([]any{c.Lines, c.Kinds})
	return out + " " + string(encoded)
}

func listed(all []conflictDoc) (lines []string) {
	for _, c := range all {
		lines = append(lines, c.String())
	}
	slices.Sort(lines)
	return lines
}

// All interfaces return the same: the command, the dashboard, the tools, the resource; also for one worktree.
func TestConflictsOnEveryDoor(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world, c *mcpclient.Client) {
		trees := map[string]worktreeDoc{}
		for _, agent := range []string{"ann", "bob", "cy", "dee"} {
			var tree worktreeDoc
			w.read(t, &tree, "spawn", "app", "--agent", agent, "--task", "for "+agent)
			trees[agent] = tree
		}
		write(t, w.repo, "file.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\nmain\n")
		w.git(t, w.repo, "commit", "-qam", "main moves on")
		write(t, trees["ann"].Path, "file.txt", "ann\ntwo\nthree\n")
		write(t, trees["bob"].Path, "file.txt", "bob\ntwo\nthree\n")
		write(t, trees["cy"].Path, "new.txt", "cy\n")
		write(t, trees["dee"].Path, "new.txt", "dee\n")

		type report struct {
			Conflicts []conflictDoc `json:"conflicts"`
		}
		for _, of := range []string{"", "ann", "dee"} {
			var cli, tool report
			in, words := args{"repo": "app"}, []string{"conflicts", "app"}
			if of != "" {
				in["worktree_id"] = trees[of].ID
				words = append(words, "--worktree", trees[of].ID)
			}
			w.read(t, &cli, words...)
			c.MustCall(t, "agit_check_conflicts", in, &tool)
			if diff := cmp.Diff(listed(cli.Conflicts), listed(tool.Conflicts)); diff != "" || len(cli.Conflicts) == 0 {
				t.Errorf("of %q (-command +tool):\n%s", of, diff)
			}
			if of != "" {
				continue
			}
			var resource report
			if err := c.ReadJSON(t.Context(), "agit://repos/app/conflicts", &resource); err != nil {
				t.Fatal(err)
			}
			var dashboard struct{ Repos []struct{ Conflicts report } }
			w.read(t, &dashboard, "status", "app")
			var glance struct{ Conflicts report }
			c.MustCall(t, "agit_repo_status", args{"repo": "app"}, &glance)
			for door, got := range map[string]report{"resource": resource, "status": dashboard.Repos[0].Conflicts, "agit_repo_status": glance.Conflicts} {
				if diff := cmp.Diff(listed(cli.Conflicts), listed(got.Conflicts)); diff != "" {
					t.Errorf("%s (-command +%s):\n%s", door, door, diff)
				}
			}
		}
		c.MustFail(t, "agit_check_conflicts", args{"repo": "app", "worktree_id": "nonsense"})
	})
}
