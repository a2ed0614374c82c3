package seen

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

// cloudBranches are the beginnings of the branches that agents in the cloud push.
var cloudBranches = []string{"copilot/", "codex/", "claude/", "cursor/", "jules/", "devin/"}

// InFlight is how long after its last commit a remote-tracking branch counts as being worked on.
const InFlight = 14 * 24 * time.Hour

// mostBranches bounds how many branches of remotes take part.
const mostBranches = 100

// Branch is a remote-tracking branch that someone may be working on elsewhere.
type Branch struct {
	Name   string // with the remote's: "origin/copilot/fix-12"
	Commit string
}

// Branches returns the remote-tracking branches of agents in the cloud, and those that match one of the patterns: a name with * for any
// characters but /, or a beginning of names that ends with /*. It leaves out branches whose local branch is checked out in a worktree,
// since that is the same work. It starts no process, and fetches nothing.
func Branches(ctx context.Context, g *git.Repo, patterns []string) ([]Branch, error) {
	all, err := g.RemoteBranches(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(b git.RemoteBranch) bool { return !wanted(b.Name, patterns) })
	if len(all) == 0 {
		return nil, nil
	}
	trees, err := g.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var found []Branch
	for _, b := range all {
		_, local, _ := strings.Cut(b.Name, "/")
		if slices.ContainsFunc(trees, func(t git.Worktree) bool { return t.Branch == "refs/heads/"+local || t.Head == b.OID }) {
			continue
		}
		found = append(found, Branch{Name: b.Name, Commit: b.OID})
	}
	return found[:min(len(found), mostBranches)], nil
}

// wanted reports whether a remote-tracking branch takes part.
func wanted(name string, patterns []string) bool {
	if strings.HasPrefix(name, checkout.Hosts+"/") { // agents' branches that machines share
		return !strings.HasPrefix(name, checkout.SharedBy(registry.Host()))
	}
	_, local, ok := strings.Cut(name, "/")
	if !ok {
		return false
	}
	if slices.ContainsFunc(cloudBranches, func(prefix string) bool { return strings.HasPrefix(local, prefix) }) {
		return true
	}
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if beginning, ok := strings.CutSuffix(pattern, "/*"); ok && strings.HasPrefix(name, beginning+"/") {
			return true
		}
		is, err := path.Match(pattern, name)
		return err == nil && is
	})
}

// Pushed returns when each of those commits that git has was made; it starts one process.
func Pushed(ctx context.Context, g *git.Repo, commits []string) (map[string]time.Time, error) {
	at := map[string]time.Time{}
	if len(commits) == 0 {
		return at, nil
	}
	stdin := strings.NewReader(strings.Join(commits, "\n") + "\n")
	out, err := g.Output(ctx, git.Options{Stdin: stdin}, "log", "--no-walk=unsorted", "--ignore-missing", "--no-show-signature", "--format=%H %cI", "--stdin")
	if err != nil {
		return nil, git.Fault(err, "read when branches of remotes were changed")
	}
	for line := range strings.Lines(string(out)) {
		oid, when, _ := strings.Cut(strings.TrimSpace(line), " ")
		if t, err := time.Parse(time.RFC3339, when); err == nil {
			at[oid] = t
		}
	}
	return at, nil
}
