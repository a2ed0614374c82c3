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

// Around records what a run could change outside of its worktree at one moment: branches, other checkouts, and settings that make git
// run programs. A correct run changes none of it.
type Around struct {
	Branches map[string]string // commits by branch
	Powers   map[string]string // git settings, hooks and attributes in the repository, by their place
	Outside  map[string]string // the same from outside of the repository: a person's own settings and hooks
	Trees    map[string]Tree   // other working trees by folder, including the main one
}

// LookAround returns the current state. folders are the working trees besides the run's; unreadable ones are left out.
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

// readPowers records the settings one by one, except those of branches, which git itself writes when branches are made and pushed.
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
			return nil //nolint:nilerr // a missing file is not a hook
		}
		rel, _ := filepath.Rel(hooks, path)
		a.readHook(a.Powers, e, path, filepath.ToSlash(rel))
		return nil
	})
}

// readOutside records settings from files outside of the repository, including files that the repository's settings include, and the
// hooks of core.hooksPath.
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

// at returns the map in which a file is recorded: only a run has a reason to change a file in the git directory.
func (a *Around) at(g *git.Repo, path string) map[string]string {
	if rel, err := filepath.Rel(g.CommonDir, path); err == nil && filepath.IsLocal(rel) {
		return a.Powers
	}
	return a.Outside
}

// readHook records a program that git may run, under a name.
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

// Trespass lists what a run changed, or may have changed, outside of its worktree.
type Trespass struct {
	// Sure lists changes that only the run can have made: its work is not good.
	Sure []string
	// Perhaps lists changes that others, mostly people, may have made: a person decides about the work.
	Perhaps []string
}

// Told returns everything in one sentence, "" for nothing.
func (t Trespass) Told() string { return strings.Join(slices.Concat(t.Sure, t.Perhaps), "; ") }

// Since compares the moments before and after a run. own is the run's branch and head its commit now. excused are branches and folders
// that others may change. settled reports whether agit itself moved a branch or the move came from a remote. has reports whether a
// commit contains the run's own commits.
func (a Around) Since(before Around, own string, excused map[string]bool, settled func(branch, from, to string) bool, has func(commit string) bool) (t Trespass) {
	for _, name := range union(before.Branches, a.Branches) {
		from, to := before.Branches[name], a.Branches[name]
		if from == to || name == own || excused[name] || to != "" && settled(name, from, to) {
			continue
		}
		switch {
		case from == "":
			continue // a new branch does no harm
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

// differ returns the keys whose values differ between two moments, including missing ones.
func differ(a, b map[string]string) []string {
	return slices.DeleteFunc(union(a, b), func(name string) bool { return a[name] == b[name] })
}

func union(a, b map[string]string) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}
