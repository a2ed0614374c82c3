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
	Powers   map[string]string // what git's settings, hooks and attributes in the repository are, by where they stand
	Outside  map[string]string // the same that holds for the repository and stands elsewhere: a person's own settings and hooks
	Trees    map[string]Tree   // other working trees, by folder; of the main one too
}

// LookAround reads it. folders are the working trees beside the run's; one that cannot be looked at is left out.
func LookAround(ctx context.Context, g *git.Repo, dir string, folders []string) (a Around, err error) {
	a = Around{Branches: map[string]string{}, Powers: map[string]string{}, Outside: map[string]string{}, Trees: map[string]Tree{}}
	out, err := g.Output(ctx, git.Options{}, "for-each-ref", "--format=%(refname)%00%(objectname)", "refs/heads", "refs/replace")
	if err != nil {
		return a, git.Fault(err, "list the branches")
	}
	for line := range strings.Lines(string(out)) {
		name, oid, _ := strings.Cut(strings.TrimSpace(line), "\x00")
		if of, replaces := strings.CutPrefix(name, "refs/replace/"); replaces {
			a.Powers["replacement of "+of] = oid
			continue
		}
		a.Branches[strings.TrimPrefix(name, "refs/heads/")] = oid
	}
	a.readPowers(g, dir)
	if err := a.readOutside(ctx, g); err != nil {
		return a, err
	}
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
		if err != nil {
			return nil //nolint:nilerr // what is not there is no hook
		}
		rel, _ := filepath.Rel(hooks, path)
		a.readHook(a.Powers, e, path, filepath.ToSlash(rel))
		return nil
	})
}

// readOutside notes the settings that files elsewhere bring, those that the repository's own include too, and the hooks of core.hooksPath.
func (a *Around) readOutside(ctx context.Context, g *git.Repo) error {
	out, err := g.Output(ctx, git.Options{}, "config", "--list", "--includes", "--show-origin", "-z")
	if err != nil {
		return git.Fault(err, "list git's settings")
	}
	own := map[string]bool{}
	for _, name := range []string{"config", "config.worktree"} {
		own[filepath.Join(g.CommonDir, name)], own[filepath.Join(g.GitDir, name)] = true, true
	}
	hooks := ""
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		file, isFile := strings.CutPrefix(fields[i], "file:")
		key, value, _ := strings.Cut(fields[i+1], "\n")
		if key == "core.hookspath" {
			hooks = value
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(g.Dir(), file)
		}
		if isFile && !own[filepath.Clean(file)] && !strings.HasPrefix(key, "branch.") {
			a.at(g, file)["setting "+key+" in "+file] += digest([]byte(value))
		}
	}
	if hooks == "" {
		return nil
	}
	if out, err := g.Run(ctx, "config", "--type=path", "--get", "core.hooksPath"); err == nil {
		hooks = out
	}
	if !filepath.IsAbs(hooks) {
		hooks = filepath.Join(g.Dir(), hooks)
	}
	entries, _ := os.ReadDir(hooks)
	for _, e := range entries {
		a.readHook(a.at(g, hooks), e, filepath.Join(hooks, e.Name()), filepath.Join(hooks, e.Name()))
	}
	return nil
}

// at is where a file is noted: in the git directory, a run alone has a reason to change it.
func (a *Around) at(g *git.Repo, path string) map[string]string {
	if rel, err := filepath.Rel(g.CommonDir, path); err == nil && filepath.IsLocal(rel) {
		return a.Powers
	}
	return a.Outside
}

// readHook notes a program that git may run, under a name.
func (a *Around) readHook(into map[string]string, e fs.DirEntry, path, name string) {
	if e.IsDir() || strings.HasSuffix(path, ".sample") {
		return
	}
	content, _ := os.ReadFile(path)
	mode := fs.FileMode(0)
	if info, err := e.Info(); err == nil {
		mode = info.Mode()
	}
	into["hook "+name] = mode.String() + digest(content)
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
	if powers := differ(before.Powers, a.Powers); len(powers) > 0 {
		t.Sure = append(t.Sure, "what has git run programs in the repository was changed during the run: "+text.Few(powers))
	}
	if powers := differ(before.Outside, a.Outside); len(powers) > 0 {
		t.Perhaps = append(t.Perhaps, "what has git run programs, outside of the repository, was changed during the run: "+text.Few(powers))
	}
	for _, folder := range slices.Sorted(maps.Keys(a.Trees)) {
		was, looked := before.Trees[folder]
		if !looked || excused[folder] {
			continue
		}
		if told := a.Trees[folder].Beside(was); len(told) > 0 {
			t.Perhaps = append(t.Perhaps, fmt.Sprintf("another worktree, %s, %s", folder, strings.Join(told, ", and ")))
		}
	}
	return t
}

// differ are the names under which two moments have different values, also none.
func differ(a, b map[string]string) (names []string) {
	for _, name := range union(a, b) {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	return names
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
