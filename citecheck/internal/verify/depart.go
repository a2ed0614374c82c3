package verify

import (
	"context"

	"github.com/agit-suite/agit/citecheck/internal/verify/textfile"
	"github.com/agit-suite/agit/shared/git"
)

// depart finds where the traces went that left their files in the commit: to
// the file's new name, else to lines that the commit added to other files.
func (c *Checker) depart(ctx context.Context, commit string, traces []*trace) error {
	for _, t := range traces {
		t.end = died
	}
	changes, err := c.changes(ctx, commit)
	if err != nil {
		return err
	}
	var rest []*trace
	for _, t := range traces {
		followed := false
		for _, change := range changes {
			if change.Status == 'R' && change.OldPath == t.path {
				if followed, err = c.rename(ctx, t, change); err != nil {
					return err
				}
			}
		}
		if !followed {
			rest = append(rest, t)
		}
	}
	return c.disperse(ctx, rest, changes)
}

// maxChanges bounds the files of a commit that are searched for a line.
const maxChanges = 400

// changes lists what a commit changed against its first parent.
func (c *Checker) changes(ctx context.Context, commit string) ([]git.RawChange, error) {
	out, err := c.repo.Output(ctx, git.Options{}, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-commit-id", kinship,
		"--ignore-submodules=all", "--first-parent", "-m", commit)
	if err != nil {
		return nil, err
	}
	return git.ParseRawChanges(out)
}

// rename takes the trace over to the file's new name.
func (c *Checker) rename(ctx context.Context, t *trace, change git.RawChange) (bool, error) {
	next, err := c.blobFile(ctx, change.OID)
	if err != nil || next == nil || t.last == nil {
		return false, err
	}
	if !t.step(newPair(t.last, next)) {
		return false, nil
	}
	t.path, t.end = change.Path, going
	return true, nil
}

// disperse looks for the lines among those that the commit added to other files.
func (c *Checker) disperse(ctx context.Context, traces []*trace, changes []git.RawChange) error {
	wanted := map[uint64][]*trace{}
	for _, t := range traces {
		if t.last != nil {
			h := t.last.Hashes()[t.line]
			wanted[h] = append(wanted[h], t)
		}
	}
	if len(wanted) == 0 || len(changes) > maxChanges {
		return nil
	}
	type spot struct {
		path   string
		line   int
		run    int
		second int
	}
	best := map[*trace]*spot{}
	for _, change := range changes {
		if change.Mode == git.ModeLink || change.Mode == git.ModeSubmodule || git.ZeroName(change.OID) {
			continue
		}
		f, err := c.blobFile(ctx, change.OID)
		if err != nil {
			return err
		}
		if f == nil || !has(f, wanted) {
			continue
		}
		var before *textfile.File
		if !git.ZeroName(change.OldOID) {
			if before, err = c.blobFile(ctx, change.OldOID); err != nil {
				return err
			}
		}
		both := &pair{}
		if before != nil {
			both = newPair(before, f)
		}
		for n, hash := range f.Hashes() {
			if before != nil && both.m.From[n] >= 0 {
				continue
			}
			for _, t := range wanted[hash] {
				run := apart(t.last, f).run(t.line, n)
				switch b := best[t]; {
				case b == nil:
					best[t] = &spot{change.Path, n, run, -1}
				case run > b.run:
					best[t] = &spot{change.Path, n, run, b.run}
				default:
					b.second = max(b.second, run)
				}
			}
		}
	}
	for t, s := range best {
		weight := lineWeight(t.last, t.line)
		if s.run < telling || weight+s.run < convincing || s.second >= 0 && s.run < s.second+telling {
			continue
		}
		t.turned = t.turned || s.path != t.path
		t.path, t.line, t.end = s.path, s.line, going
	}
	return nil
}

func has(f *textfile.File, wanted map[uint64][]*trace) bool {
	for _, h := range f.Hashes() {
		if wanted[h] != nil {
			return true
		}
	}
	return false
}
