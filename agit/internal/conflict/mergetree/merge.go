package mergetree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Merge is the result of merging two commits.
type Merge = git.Merge

// Conflict is one thing that git's merge could not resolve.
type Conflict = git.MergeConflict

const (
	// mostPerRun bounds what merges leave behind, in memory or on disk, before it is removed. Starting git takes as long as five merges, so
	// fewer than leastPerRun merges are not split among workers.
	mostPerRun, leastPerRun = 256, 32
	// maxFailures is how many merges may make git exit before the remaining ones are given up.
	maxFailures = 16
)

// Merges merges each pair, the first of a pair being "ours", as git would with the settings of in. The .gitattributes files in force are
// those of the commit attributes.
func (s *ObjectStore) Merges(ctx context.Context, in *git.Repo, attributes string, pairs [][2]string) ([]Merge, error) {
	results := make([]Merge, len(pairs))
	o, done, err := in.Attributed(ctx, git.Options{Env: s.env()}, attributes)
	if err != nil { // in a partial clone, objects may be missing
		for i := range results {
			results[i].Failed = fault.From(err).Message
		}
		return results, ctx.Err()
	}
	defer done()
	workers := runtime.GOMAXPROCS(0) // merging is all computing
	size := min(max((len(pairs)+workers-1)/workers, leastPerRun), mostPerRun)
	folder := ramFolder()
	if folder != "" {
		tidyFolder(folder)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for start := 0; start < len(pairs); start += size {
		end := min(start+size, len(pairs))
		g.Go(func() error { return s.merges(ctx, in, o, pairs[start:end], results[start:end], folder) })
	}
	return results, g.Wait()
}

// merges fills in results. When a merge makes git exit, it continues after that merge.
func (s *ObjectStore) merges(ctx context.Context, in *git.Repo, o git.Options, pairs [][2]string, results []Merge, folder string) error {
	for failures := 0; len(pairs) > 0; {
		got, runErr, err := s.mergeBatch(ctx, in, o, pairs, folder)
		if err != nil {
			return err
		}
		if runErr != nil && folder != "" { // memory may be full
			folder = ""
			continue
		}
		done := copy(results, got)
		if runErr != nil && done < len(pairs) {
			if failures++; failures > maxFailures {
				return git.Fault(runErr, "try the merges of worktrees")
			}
			results[done] = Merge{Failed: git.Fault(runErr, "try the merge").Error()}
			done++
		}
		pairs, results = pairs[done:], results[done:]
	}
	return nil
}

// mergeBatch runs git once. runErr is set when git ended early; got then holds the merges before that. The objects of the merges go to a
// separate store in folder, which is removed again: only the results matter.
func (s *ObjectStore) mergeBatch(ctx context.Context, in *git.Repo, o git.Options, batch [][2]string, folder string) (got []Merge, runErr, err error) {
	objects, err := s.output(folder)
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(objects)
	var input strings.Builder
	for _, p := range batch {
		fmt.Fprintf(&input, "%s %s\n", p[0], p[1])
	}
	o.Stdin = strings.NewReader(input.String())
	o.Env = append(slices.Clone(o.Env), "GIT_OBJECT_DIRECTORY="+objects)
	o.Config = []string{"core.fsmonitor=false", "core.fsync=none", "core.compression=0", "advice.submoduleMergeConflict=false"}
	out, runErr := in.Output(ctx, o, "merge-tree", "--stdin")
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	got, err = git.ParseMerges(out)
	if runErr != nil {
		return got[:min(len(got), len(batch))], runErr, nil // the last answer may be cut short
	}
	if err == nil && len(got) != len(batch) {
		err = fmt.Errorf("%d answers to %d merges", len(got), len(batch))
	}
	if err != nil {
		return nil, nil, git.Fault(err, "read what git merge-tree says")
	}
	return got, nil, nil
}

// output makes an object store that borrows from s, in folder.
func (s *ObjectStore) output(folder string) (string, error) {
	if folder == "" {
		folder = s.dir
	}
	dir, err := os.MkdirTemp(folder, prefix+"*")
	if err == nil {
		err = errors.Join(os.Mkdir(filepath.Join(dir, "info"), 0o755),
			os.WriteFile(filepath.Join(dir, "info", "alternates"), []byte(git.Quote(s.Objects())+"\n"), 0o644))
	}
	if err != nil {
		return "", fault.Operation(err, "make a temporary object store")
	}
	return dir, nil
}
