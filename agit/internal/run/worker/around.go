package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// Around is what a run could change outside of its worktree, at one moment: branches, the checkouts beside it, and what has git run
// programs. A run that works as it should changes none of it.
type Around struct {
	Branches map[string]string // commits by name
	Powers   map[string]string // what git's settings, hooks and attributes are, by where they stand
	Trees    map[string]Tree   // other working trees, by folder; of the main one too
}

// LookAround reads it. folders are the working trees beside the run's; one that cannot be looked at is left out.
func LookAround(ctx context.Context, g *git.Repo, dir string, folders []string) (a Around, err error) {
	a = Around{Branches: map[string]string{}, Powers: map[string]string{}, Trees: map[string]Tree{}}
	out, err := g.Output(ctx, git.Options{}, "for-each-ref", "--format=%(refname:short)%00%(objectname)", "refs/heads")
	if err != nil {
		return a, git.Fault(err, "list the branches")
	}
	for line := range strings.Lines(string(out)) {
		name, oid, _ := strings.Cut(strings.TrimSpace(line), "\x00")
		a.Branches[name] = oid
	}
	a.readPowers(g, dir)
	for _, folder := range folders {
		if t, err := LookAt(ctx, g, folder); err == nil {
			a.Trees[folder] = t
		}
	}
	return a, ctx.Err()
}

// readPowers notes the settings one by one, but those of branches, which git itself writes as they are made and pushed.
func (a *Around) readPowers(g *git.Repo, dir string) {
	own := g.GitDir
	if tree, err := git.Find(dir); err == nil && tree.CommonDir == g.CommonDir {
		own = tree.GitDir
	}
	for _, path := range []string{filepath.Join(g.CommonDir, "config"), filepath.Join(g.CommonDir, "config.worktree"), filepath.Join(own, "config.worktree")} {
		content, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		entries, err := git.ParseConfig(content)
		if err != nil {
			a.Powers[path] = digest(content)
			continue
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Key, "branch.") {
				a.Powers["setting "+e.Key] += digest([]byte(e.Value))
			}
		}
	}
	for _, name := range []string{"info/attributes", "info/grafts", "objects/info/alternates"} {
		if content, err := os.ReadFile(filepath.Join(g.CommonDir, filepath.FromSlash(name))); err == nil {
			a.Powers[name] = digest(content)
		}
	}
	hooks := filepath.Join(g.CommonDir, "hooks")
	_ = filepath.WalkDir(hooks, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".sample") {
			return nil //nolint:nilerr // what is not there is no hook
		}
		content, _ := os.ReadFile(path)
		mode := fs.FileMode(0)
		if info, err := e.Info(); err == nil {
			mode = info.Mode()
		}
		rel, _ := filepath.Rel(hooks, path)
		a.Powers["hook "+filepath.ToSlash(rel)] = mode.String() + digest(content)
		return nil
	})
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8]) + ";"
}

// Trespass is what a run changed, or may have, outside of its worktree.
type Trespass struct {
	// Sure is what only the run can have changed: its work is not good.
	Sure []string
	// Perhaps is what others can have changed meanwhile, a person above all: its work is left to one.
	Perhaps []string
}

// Told is all of it in one sentence, "" for nothing.
func (t Trespass) Told() string { return strings.Join(slices.Concat(t.Sure, t.Perhaps), "; ") }

// Since compares two moments around a run. own is its branch, and head what that is at now; excused are the branches and folders that others
// may change, and settled says of a branch that was moved whether agit itself did that, or it came from a remote; has says whether a commit
// has the run's own commits.
func (a Around) Since(before Around, own string, excused map[string]bool, settled func(branch, from, to string) bool, has func(commit string) bool) (t Trespass) {
	for _, name := range union(before.Branches, a.Branches) {
		from, to := before.Branches[name], a.Branches[name]
		if from == to || name == own || excused[name] || to != "" && settled(name, from, to) {
			continue
		}
		switch {
		case from == "":
			continue // a branch more takes nothing from anyone
		case to == "":
			t.Perhaps = append(t.Perhaps, fmt.Sprintf("branch %s was deleted during the run, from %.10s", name, from))
		case has(to):
			t.Sure = append(t.Sure, fmt.Sprintf("branch %s was moved during the run past the gate and the review, from %.10s to %.10s, which has the run's own commits", name, from, to))
		default:
			t.Perhaps = append(t.Perhaps, fmt.Sprintf("branch %s was moved during the run, from %.10s to %.10s, and not by agit", name, from, to))
		}
	}
	var powers []string
	for _, name := range union(before.Powers, a.Powers) {
		if before.Powers[name] != a.Powers[name] {
			powers = append(powers, name)
		}
	}
	if len(powers) > 0 {
		t.Sure = append(t.Sure, "what has git run programs in the repository was changed during the run: "+text.Few(powers))
	}
	for _, folder := range slices.Sorted(maps.Keys(a.Trees)) {
		was, looked := before.Trees[folder]
		if !looked || excused[folder] {
			continue
		}
		if paths := a.Trees[folder].Since(was); len(paths) > 0 {
			t.Perhaps = append(t.Perhaps, fmt.Sprintf("files in another worktree, %s, were changed during the run: %s", folder, text.Few(paths)))
		}
	}
	return t
}

func union(a, b map[string]string) []string {
	names := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, there := a[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
