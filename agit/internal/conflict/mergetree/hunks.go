package mergetree

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Texts names two blobs to compare line by line.
type Texts struct{ Base, Side string }

// Hunks are the lines of the base that a side changed.
type Hunks struct {
	Binary bool       // not text: all of it counts as changed
	Ranges []git.Hunk // as git's merge sees them, in order
}

// hunksPerRun bounds how many comparisons are in memory at once.
const hunksPerRun = 256

// Hunks compares blobs as git merge does (histogram, no context, hunks not shifted for readability), a few hundred in one run of git. The
// blobs become the files of two made-up commits, so that names, attributes and renames have no effect.
func (s *ObjectStore) Hunks(ctx context.Context, all []Texts) ([]Hunks, error) {
	results := make([]Hunks, 0, len(all))
	for batch := range slices.Chunk(all, hunksPerRun) {
		got, err := s.hunksOrWhole(ctx, batch)
		if err != nil {
			return nil, err
		}
		results = append(results, got...)
	}
	return results, nil
}

// hunksOrWhole is hunks, except that a text that git cannot read counts as changed as a whole and does not spoil the other results. Such a
// text is missing from a damaged or partial repository.
func (s *ObjectStore) hunksOrWhole(ctx context.Context, batch []Texts) ([]Hunks, error) {
	got, err := s.hunks(ctx, batch)
	switch {
	case err == nil || ctx.Err() != nil:
		return got, err
	case len(batch) == 1:
		return []Hunks{{Binary: true}}, nil
	}
	return inHalves(batch, func(half []Texts) ([]Hunks, error) { return s.hunksOrWhole(ctx, half) })
}

// inHalves returns the results for each half of a batch.
func inHalves[A, B any](batch []A, do func([]A) ([]B, error)) ([]B, error) {
	half := len(batch) / 2
	one, err := do(batch[:half])
	if err != nil {
		return nil, err
	}
	two, err := do(batch[half:])
	return append(one, two...), err
}

func (s *ObjectStore) hunks(ctx context.Context, batch []Texts) ([]Hunks, error) {
	err := s.fastImport(ctx, func(w *bufio.Writer) error {
		for side, name := range []string{"base", "side"} {
			fmt.Fprintf(w, "commit refs/texts/%s\ncommitter agit <> 0 +0000\ndata 0\ndeleteall\n", name)
			for i, t := range batch {
				oid := t.Base
				if side == 1 {
					oid = t.Side
				}
				fmt.Fprintf(w, "M 100644 %s %06d\n", oid, i)
			}
			if err := w.WriteByte('\n'); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out, err := s.repo.Output(ctx, s.own(git.Options{}), "diff-tree", "-r", "-p", "--unified=0", "--inter-hunk-context=0", "--no-renames",
		"--diff-algorithm=histogram", "--no-indent-heuristic", "--no-ext-diff", "--no-textconv", "--no-color",
		"--src-prefix=a/", "--dst-prefix=b/", "refs/texts/base", "refs/texts/side")
	if err != nil {
		return nil, git.Fault(err, "compare the lines of files")
	}
	files, err := git.ParseHunks(out)
	if err != nil {
		return nil, fault.Operation(err, "compare the lines of files")
	}
	results := make([]Hunks, len(batch)) // files that are equal are not printed
	for _, f := range files {
		name := strings.TrimSpace(f.Path)
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(results) {
			return nil, fault.Operation(nil, "compare the lines of files: %q is not one of them", name)
		}
		results[i] = Hunks{Binary: f.Binary, Ranges: f.Hunks}
	}
	return results, nil
}
