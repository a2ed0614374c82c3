package mergetree

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/shared/git"
)

// Diff is one path that differs between two states.
type Diff struct {
	Path     string
	OldPath  string // of a rename
	From, To scan.Blob
	Unmerged bool // only From is meaningful
}

// Diffs compares commits, for each pair from the first to the second, in one run of git in repo. It finds renames on request. store may be
// nil when all commits are in the repository.
func Diffs(ctx context.Context, repo *git.Repo, store *ObjectStore, pairs [][2]string, renames bool) ([][]Diff, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	var input strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&input, "%s %s\n", p[1], p[0]) // git treats the second as a parent of the first
	}
	o := git.Options{Stdin: strings.NewReader(input.String()), Env: store.env()}
	args := []string{"diff-tree", "--stdin", "--always", "-r", "-z", "--raw", "--no-abbrev", "--ignore-submodules=none"}
	if renames {
		args = append(args, "-M", "-l"+strconv.Itoa(renameLimit))
	} else {
		args = append(args, "--no-renames")
	}
	out, err := repo.Output(ctx, o, args...)
	if err != nil {
		return nil, git.Fault(err, "compare the commits of worktrees")
	}
	all, err := parseDiffs(out)
	if err == nil && len(all) != len(pairs) {
		err = fmt.Errorf("%d answers to %d comparisons", len(all), len(pairs))
	}
	if err != nil {
		return nil, git.Fault(err, "compare the commits of worktrees")
	}
	return all, nil
}

// Renames is Diffs with renames, except that commits with a text that git cannot read are compared without and do not spoil the other
// results. Such a text is missing from a damaged or partial repository.
func (s *ObjectStore) Renames(ctx context.Context, repo *git.Repo, pairs [][2]string) ([][]Diff, error) {
	all, err := Diffs(ctx, repo, s, pairs, true)
	switch {
	case err == nil || ctx.Err() != nil:
		return all, err
	case len(pairs) == 1:
		return Diffs(ctx, repo, s, pairs, false)
	}
	return inHalves(pairs, func(half [][2]string) ([][]Diff, error) { return s.Renames(ctx, repo, half) })
}

// renameLimit is the number of files that git merge itself compares for renames.
const renameLimit = 7000

// IndexDiff compares a commit with the index of repo's work tree. The commit "" stands for an empty tree.
func IndexDiff(ctx context.Context, repo *git.Repo, commit string, hash scan.Hash) ([]Diff, error) {
	if commit == "" {
		commit = emptyTree(hash)
	}
	o := git.Options{Config: []string{"core.fsmonitor=false"}}
	out, err := repo.Output(ctx, o, "diff-index", "--cached", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", "--ita-invisible-in-index", commit, "--")
	if err != nil {
		return nil, git.Fault(err, "compare the index of %q", repo.WorkTree)
	}
	all, err := parseDiffs(append(append([]byte(commit), 0), out...))
	if err != nil {
		return nil, git.Fault(err, "compare the index of %q", repo.WorkTree)
	}
	return all[0], nil
}

// emptyTree exists for every git without being stored.
func emptyTree(hash scan.Hash) string {
	if hash == scan.SHA256 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// parseDiffs reads the raw format of git diff-tree --stdin -z:
//
//	(oid NUL (":mode mode oid oid X" NUL path NUL [path NUL])*)*
func parseDiffs(out []byte) ([][]Diff, error) {
	var all [][]Diff
	next := func() (string, error) {
		field, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return "", fmt.Errorf("git diff-tree: the answer is cut short at %.40q", out)
		}
		out = rest
		return string(field), nil
	}
	for len(out) > 0 {
		head, err := next()
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(head, ":") {
			if !git.IsOID(head) {
				return nil, fmt.Errorf("git diff-tree: %.80q is not an object", head)
			}
			all = append(all, nil)
			continue
		}
		d, status, ok := parseDiffHead(head)
		if !ok || len(all) == 0 {
			return nil, fmt.Errorf("git diff-tree: %.80q is not a change", head)
		}
		if d.Path, err = next(); err != nil {
			return nil, err
		}
		if status == 'R' || status == 'C' {
			d.OldPath = d.Path
			if d.Path, err = next(); err != nil {
				return nil, err
			}
		}
		d.Unmerged = status == 'U'
		all[len(all)-1] = append(all[len(all)-1], d)
	}
	return all, nil
}

func parseDiffHead(head string) (d Diff, status byte, ok bool) {
	f := strings.Fields(head[1:])
	if len(f) != 5 || len(f[4]) == 0 || !git.IsOID(f[2]) || !git.IsOID(f[3]) {
		return d, 0, false
	}
	var errFrom, errTo error
	d.From, errFrom = blobOf(f[0], f[2])
	d.To, errTo = blobOf(f[1], f[3])
	return d, f[4][0], errFrom == nil && errTo == nil
}
