package verify

import (
	"context"
	"maps"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// fullName returns the full name of a recorded commit, "" when the commit is not in this repository (a shallow clone, a rewritten branch)
// or the name is not a commit's.
func (c *Checker) fullName(ctx context.Context, name string) (string, error) {
	if c.repo == nil || len(name) < 4 || len(name) > 64 || strings.Trim(strings.ToLower(name), "0123456789abcdef") != "" {
		return "", nil
	}
	return c.commits.get(name, 0, func() (string, error) {
		object, err := c.objects.Read(ctx, name+"^{commit}", 0)
		if err != nil || object.Type != "commit" {
			return "", err
		}
		return object.OID, nil
	})
}

// target returns the arguments of a comparison with the state looked at.
func (c *Checker) target(from string) []string {
	switch c.at {
	case WorkingTree:
		return []string{from}
	case Index:
		return []string{"--cached", from}
	}
	return []string{from, c.at}
}

// renameShare is the share of equal content from which a new file counts as the new name of a deleted one. It is low, since the new file
// must also contain the cited text.
const renameShare = "-M50%"

// renamedSince returns the new names of the files that git sees renamed between
// the commit and the state looked at.
func (c *Checker) renamedSince(ctx context.Context, from string) (map[string]string, error) {
	return c.renames.get(from, 0, func() (map[string]string, error) {
		args := append([]string{"diff", "--name-status", "-z", renameShare, "--diff-filter=R", "--no-ext-diff", "--no-textconv",
			"--ignore-submodules=all"}, c.target(from)...)
		return parsed(ctx, c, parseRenames, append(args, "--")...)
	})
}

// parsed returns what a command of git writes.
func parsed[T any](ctx context.Context, c *Checker, parse func([]byte) (T, error), args ...string) (all T, err error) {
	out, err := c.repo.Output(ctx, git.Options{}, args...)
	if err != nil {
		return all, err
	}
	return parse(out)
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

func parseRenames(out []byte) (map[string]string, error) {
	changes, err := git.ParseNameStatus(out)
	names := map[string]string{}
	for _, change := range changes {
		if change.Status == 'R' {
			names[change.OldPath] = change.Path
		}
	}
	return names, err
}

// departure is the commit that removed a file.
type departure struct {
	before string // its parent, where the file still was
	to     string // the name that the file got, "" when it was deleted
}

// departures finds the last commits before tip that removed the files.
func (c *Checker) departures(ctx context.Context, tip string, paths []string) (map[string]departure, error) {
	if tip == "" || len(paths) == 0 {
		return nil, nil
	}
	args := append(git.DeletionArgs(len(paths)), tip, "--")
	deletions, err := parsed(ctx, c, git.ParseDeletions, append(args, paths...)...)
	if err != nil {
		return nil, err
	}
	found := map[string]departure{}
	renames := map[string]map[string]string{}
	for _, d := range deletions {
		if _, known := found[d.Path]; known || d.Parent == "" || len(renames) >= maxDepartures {
			continue
		}
		if renames[d.Commit] == nil {
			if renames[d.Commit], err = parsed(ctx, c, parseRenames, "diff-tree", "-r", "-z", "--name-status", renameShare, "--diff-filter=R",
				d.Parent, d.Commit, "--"); err != nil {
				return nil, err
			}
		}
		found[d.Path] = departure{before: d.Parent, to: renames[d.Commit][d.Path]}
	}
	return found, nil
}

// maxDepartures bounds the commits that are compared with their parents.
const maxDepartures = 200

// shallow reports whether history was cut off when the repository was cloned.
func (c *Checker) shallow() bool { return c.repo != nil && c.repo.Shallow() }

// Remember returns, for each result, the commit at which its citation (fixed, if it moved) can be recorded as verified: Commit when Path is
// the same there as in the state looked at, else "". Only True results have one.
func (c *Checker) Remember(ctx context.Context, results []Result) ([]string, error) {
	oids := make([]string, len(results))
	base := c.Commit()
	if c.repo == nil || base == "" {
		return oids, nil
	}
	paths := map[string]bool{}
	for _, r := range results {
		if p, ok := c.foundAt(r); ok {
			paths[p] = true
		}
	}
	if err := c.compareFiles(ctx, base, paths); err != nil {
		return nil, git.Fault(err, "compare with %s", short(base))
	}
	for i, r := range results {
		if p, ok := c.foundAt(r); ok && c.unchanged(base, p) {
			oids[i] = base
		}
	}
	return oids, nil
}

// foundAt returns the file of a true result, as a path of the repository.
func (c *Checker) foundAt(r Result) (string, bool) {
	p, _, ok := clean(c.prefix, r.FoundPath)
	return strings.ReplaceAll(p, `\`, "/"), ok && r.Verdict.True()
}

// differing returns the paths of the repository that differ between a commit and the state looked at, restricted to limit when given. With
// untracked it adds all untracked files.
func (c *Checker) differing(ctx context.Context, from string, untracked bool, limit ...string) (map[string]bool, error) {
	args := append([]string{"--literal-pathspecs", "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all"}, c.target(from)...)
	out, err := c.repo.Output(ctx, git.Options{}, append(append(args, "--"), limit...)...)
	if err != nil {
		return nil, err
	}
	paths := setOf(git.Records(out))
	if untracked && c.at == WorkingTree {
		out, err := c.repo.Output(ctx, git.Options{}, "ls-files", "-z", "--others", "--exclude-standard")
		if err != nil {
			return nil, err
		}
		maps.Copy(paths, setOf(git.Records(out)))
	}
	return paths, nil
}

// unchanged reports whether a path is known to be the same at the commit and in the state looked at; call compareFiles first.
func (c *Checker) unchanged(from, p string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.same[from][p]
}

// compare prepares unchanged for commits at which several files are cited.
func (c *Checker) compare(ctx context.Context, jobs []*job) error {
	cited := map[string]map[string]bool{}
	for _, j := range jobs {
		if j.commit != "" {
			if cited[j.commit] == nil {
				cited[j.commit] = map[string]bool{}
			}
			cited[j.commit][j.path] = true
		}
	}
	for from, paths := range cited {
		if len(paths) >= worthComparing {
			if err := c.compareFiles(ctx, from, paths); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	// worthComparing is the number of cited files of one commit from which git is asked which of them changed: that costs about as much as
	// reading as many old files.
	worthComparing = 20
	// maxArguments bounds the paths named on a command line.
	maxArguments = 1000
)

// compareFiles determines which of the paths are the same at the commit and in the state looked at.
func (c *Checker) compareFiles(ctx context.Context, from string, paths map[string]bool) error {
	var ask []string
	c.mu.Lock()
	for p := range paths {
		if _, known := c.same[from][p]; !known {
			ask = append(ask, p)
		}
	}
	c.mu.Unlock()
	if len(ask) == 0 {
		return nil
	}
	differ := map[string]bool{}
	if from != c.at {
		var err error
		limit := ask
		if len(ask) > maxArguments {
			limit = nil
		}
		if differ, err = c.differing(ctx, from, false, limit...); err != nil {
			return err
		}
	}
	same := map[string]bool{}
	for _, p := range ask {
		if !differ[p] { // or it exists at neither
			object, err := c.objects.Read(ctx, from+":"+p, 0)
			if err != nil {
				return err
			}
			same[p] = object.Type == "blob"
		} else {
			same[p] = false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.same[from] == nil {
		c.same[from] = map[string]bool{}
	}
	maps.Copy(c.same[from], same)
	return nil
}

// ChangedSince returns the paths, relative to the Checker's folder, that differ
// between the revision and the state looked at: new, changed, deleted, and both
// names of a renamed file. An unknown revision is a NotFound fault.
func (c *Checker) ChangedSince(ctx context.Context, rev string) (map[string]bool, error) {
	from, err := c.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	changed, err := c.differing(ctx, from, true)
	if err != nil {
		return nil, git.Fault(err, "compare with %q", rev)
	}
	paths := make(map[string]bool, len(changed))
	for p := range changed {
		paths[c.outward(p)] = true
	}
	return paths, nil
}
