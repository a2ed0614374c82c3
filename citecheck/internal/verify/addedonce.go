package verify

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/git"
)

// worthLogging is the number of files from which git is asked for their common history first, instead of blaming each.
const worthLogging = 8

// addedOnce returns the commits of those files that one commit added and nothing has touched since, including the working tree: that commit
// wrote all their lines. Most memories are such files, and each blame would cost a git process and a walk through history.
func (c *Checker) addedOnce(ctx context.Context, paths map[string]bool) (map[string]string, error) {
	if len(paths) < worthLogging || c.at != WorkingTree || c.repo.Bare || c.shallow() {
		return nil, nil
	}
	if err := c.compareFiles(ctx, c.head, paths); err != nil {
		return nil, err
	}
	var ask []string
	for p := range paths {
		if c.unchanged(c.head, p) {
			ask = append(ask, p)
		}
	}
	if len(ask) == 0 { // without a path, git would take every path
		return nil, nil
	}
	list, err := c.everyVersion(ctx, append([]string{c.head, "--"}, ask...))
	if err != nil {
		return nil, err
	}
	once, often := map[string]string{}, map[string]bool{}
	for _, v := range list {
		if often[v.Path] || once[v.Path] != "" || !git.ZeroName(v.Old) {
			delete(once, v.Path)
			often[v.Path] = true
			continue
		}
		once[v.Path] = v.Commit
	}
	return c.withoutOrigin(ctx, once)
}

// withoutOrigin drops the files whose commit also removed files: they may be renamed files with older lines.
func (c *Checker) withoutOrigin(ctx context.Context, once map[string]string) (map[string]string, error) {
	args := []string{"--no-walk=unsorted", "--diff-filter=D"}
	for _, commit := range once {
		if !slices.Contains(args, commit) {
			args = append(args, commit)
		}
	}
	if len(once) == 0 {
		return nil, nil
	}
	removed, err := c.everyVersion(ctx, append(args, "--"))
	if err != nil {
		return nil, err
	}
	for _, v := range removed {
		for p, commit := range once {
			if commit == v.Commit {
				delete(once, p)
			}
		}
	}
	return once, nil
}

// everyVersion reads a log that follows all parents.
func (c *Checker) everyVersion(ctx context.Context, args []string) ([]git.FileVersion, error) {
	all := slices.DeleteFunc(git.VersionArgs(), func(arg string) bool { return arg == "--first-parent" || arg == "-m" })
	return parsed(ctx, c, git.ParseVersions, append(all, args...)...)
}
