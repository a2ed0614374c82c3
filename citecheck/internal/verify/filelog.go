package verify

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/git"
)

// log is the history of some files, as far back as traces need it. Asking git once for all of them costs about as much as asking for one.
type log struct {
	from  map[string]string            // by commit: where it joined the first parents of tip; "" nowhere
	age   map[string]int               // by first parent: how many commits tip is ahead of it
	files map[string][]git.FileVersion // by path, oldest first
}

// log reads the changes to the files of the traces since the commits that the traces stand at.
func (c *Checker) log(ctx context.Context, traces []*trace) (*log, error) {
	l := &log{from: map[string]string{}, age: map[string]int{}, files: map[string][]git.FileVersion{}}
	tip := c.Commit()
	commits, paths := startsOf(traces, tip)
	if tip == "" || len(commits) == 0 {
		return l, nil
	}
	chain, err := c.mainline(ctx, commits, tip)
	if err != nil {
		return nil, err
	}
	for i, oid := range chain {
		l.age[oid] = i
	}
	if err := c.toForks(ctx, l, chain, traces); err != nil {
		return nil, err
	}
	commits, _ = startsOf(traces, tip)
	oldest := tip
	for _, commit := range commits {
		from, err := c.joined(ctx, chain, l.age, commit, tip)
		if err != nil {
			return nil, err
		}
		if l.from[commit] = from; from != "" && l.age[from] > l.age[oldest] {
			oldest = from
		}
	}
	args := append(append(git.VersionArgs(), oldest+".."+tip, "--"), paths...)
	list, err := parsed(ctx, c, git.ParseVersions, args...)
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	for _, v := range list {
		l.files[v.Path] = append(l.files[v.Path], v)
	}
	return l, nil
}

// startsOf lists the commits that traces stand at, the tip left out, and their
// files.
func startsOf(traces []*trace, tip string) (commits, paths []string) {
	behind := those(traces, func(t *trace) bool { return t.commit != tip })
	return keysOf(behind, func(t *trace) string { return t.commit }), keysOf(behind, func(t *trace) string { return t.path })
}

// toForks takes traces at a commit of a merged branch back to the commit where the branch left the first parents of tip, if the line
// already existed there. Otherwise the changes to its file between the fork and the merge would be missed.
func (c *Checker) toForks(ctx context.Context, l *log, chain []string, traces []*trace) error {
	forks := map[string]string{}
	for _, t := range traces {
		if _, on := l.age[t.commit]; on || t.commit == c.Commit() {
			continue
		}
		fork, known := forks[t.commit]
		if !known {
			// The first parents that are not ancestors of the commit are the newest ones.
			out, err := c.repo.Run(ctx, "rev-list", "--first-parent", "--count", c.Commit(), "^"+t.commit)
			if err != nil {
				return err
			}
			if n, err := strconv.Atoi(out); err == nil && n < len(chain) {
				fork = chain[n]
			}
			forks[t.commit] = fork
		}
		if fork == "" {
			continue
		}
		old, err := c.oldFile(ctx, fork, t.path)
		if err != nil {
			return err
		}
		here, err := c.oldFile(ctx, t.commit, t.path)
		if err != nil {
			return err
		}
		if old == nil || here == nil {
			continue
		}
		if n := newFilePair(here, old).m.To[t.line]; n >= 0 {
			t.commit, t.line = fork, n
		}
	}
	return nil
}

// versions returns the changes of a path after a commit, oldest first. They are not known when the commit is not in the history of the
// state looked at.
func (c *Checker) versions(ctx context.Context, l *log, commit, p string) ([]git.FileVersion, bool, error) {
	switch tip := c.Commit(); tip {
	case "":
		return nil, false, nil
	case commit:
		return nil, true, nil
	}
	from := l.from[commit]
	if from == "" {
		return nil, false, nil
	}
	var versions []git.FileVersion
	if from != commit {
		// The commit is on a branch: one step to where that was merged.
		object, err := c.objects.Read(ctx, from+":"+p, 0)
		if err != nil {
			return nil, false, err
		}
		versions = append(versions, git.FileVersion{Commit: from, Path: p, New: object.OID})
	}
	for _, v := range l.files[p] {
		if age, ok := l.age[v.Commit]; ok && age < l.age[from] {
			versions = append(versions, v)
		}
	}
	return versions, true, nil
}

// mainline returns the first parents of tip, newest first, back to the common ancestor of all the commits.
func (c *Checker) mainline(ctx context.Context, commits []string, tip string) ([]string, error) {
	base := commits[0]
	if len(commits) > 1 {
		out, err := c.repo.Run(ctx, append([]string{"merge-base", "--octopus"}, commits...)...)
		if err != nil && git.ExitCode(err) != 1 {
			return nil, err
		}
		base, _, _ = strings.Cut(out, "\n") // "": they have nothing in common
	}
	args := []string{"rev-list", "--first-parent", "--parents", tip}
	if base != "" {
		args = append(args, "^"+base)
	}
	out, err := c.repo.Run(ctx, args...)
	if err != nil || out == "" {
		return nil, err
	}
	var chain []string
	last := ""
	for line := range strings.SplitSeq(out, "\n") {
		oid, parents, _ := strings.Cut(line, " ")
		last, _, _ = strings.Cut(parents, " ")
		chain = append(chain, oid)
	}
	if last != "" {
		chain = append(chain, last)
	}
	return chain, nil
}

// joined returns the commit itself when it is among the first parents of tip, else the merge that brought it there, "" when none did.
func (c *Checker) joined(ctx context.Context, chain []string, age map[string]int, commit, tip string) (from string, err error) {
	if _, ok := age[commit]; ok {
		return commit, nil
	}
	path, err := c.repo.Run(ctx, "rev-list", "--ancestry-path", commit+".."+tip)
	if err != nil {
		return "", err
	}
	descends := setOf(strings.Split(path, "\n"))
	for _, oid := range chain {
		if descends[oid] {
			from = oid // the oldest of them is the last
		}
	}
	return from, nil
}

// maxVersions bounds the versions of a file that are stepped through; when there are more, evenly spaced ones are chosen.
const maxVersions = 100

// thin chooses among many versions, and keeps those that create or delete the file.
func thin(versions []git.FileVersion) []git.FileVersion {
	if len(versions) <= maxVersions {
		return versions
	}
	var chosen []git.FileVersion
	for i, v := range versions {
		if i == len(versions)-1 || i*maxVersions/len(versions) != (i+1)*maxVersions/len(versions) || git.ZeroName(v.New) || git.ZeroName(v.Old) {
			chosen = append(chosen, v)
		}
	}
	return chosen
}
