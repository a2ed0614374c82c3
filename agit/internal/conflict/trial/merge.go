package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Merge is what merging two commits would give.
type Merge struct {
	Clean     bool
	Tree      string // what a clean merge would commit
	Conflicts []Conflict
	Failed    string // why git could not say; the rest is empty then
}

// Conflict is one thing git's merge could not settle.
type Conflict struct {
	Kind  string   // "contents", "modify/delete", "rename/rename", "add/add", …
	Paths []string // the files concerned, the most telling one first
	// Base, Ours and Theirs are the blobs of those files there.
	Base, Ours, Theirs []string
}

const (
	// mostPerRun bounds what merges leave behind, in memory or on disk, before it
	// is cleared away. Starting git takes as long as five merges, so that fewer
	// than leastPerRun are not shared out.
	mostPerRun, leastPerRun = 256, 32
	// maxFailures is how many merges may end git before the rest is given up.
	maxFailures = 16
)

// MergeMinor is the first minor version of git 2 that can merge without files.
const MergeMinor = 38

// Merges merges each pair, the first of a pair being "ours", as git merge would
// in the work tree of in: its attributes are in force.
func (s *ObjectStore) Merges(ctx context.Context, in *git.Repo, pairs [][2]string) ([]Merge, error) {
	workers := runtime.GOMAXPROCS(0) // merging is all computing
	size := min(max((len(pairs)+workers-1)/workers, leastPerRun), mostPerRun)
	folder := ramFolder()
	if folder != "" {
		tidyFolder(folder)
	}
	results := make([]Merge, len(pairs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for start := 0; start < len(pairs); start += size {
		end := min(start+size, len(pairs))
		g.Go(func() error { return s.merges(ctx, in, pairs[start:end], results[start:end], folder) })
	}
	return results, g.Wait()
}

// merges fills in results, going on behind a merge that ends git.
func (s *ObjectStore) merges(ctx context.Context, in *git.Repo, pairs [][2]string, results []Merge, folder string) error {
	for failures := 0; len(pairs) > 0; {
		got, runErr, err := s.mergeBatch(ctx, in, pairs, folder)
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

// mergeBatch runs git once. runErr says that git ended early, after what got
// holds. What the merges write goes to a store of its own in folder, which is
// removed again: only the answers matter.
func (s *ObjectStore) mergeBatch(ctx context.Context, in *git.Repo, batch [][2]string, folder string) (got []Merge, runErr, err error) {
	objects, err := s.output(folder)
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(objects)
	var input strings.Builder
	for _, p := range batch {
		fmt.Fprintf(&input, "%s %s\n", p[0], p[1])
	}
	o := git.Options{
		Stdin:  strings.NewReader(input.String()),
		Env:    []string{"GIT_OBJECT_DIRECTORY=" + objects},
		Config: []string{"core.fsmonitor=false", "core.fsync=none", "core.compression=0", "advice.submoduleMergeConflict=false"},
	}
	out, runErr := in.Output(ctx, o, "merge-tree", "--stdin")
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	got, err = parseMerges(out)
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

// parseMerges reads the answers of `git merge-tree --stdin`, each
//
//	status NUL tree NUL
//	and when it conflicts: (mode SP oid SP stage TAB path NUL)* NUL
//	(count NUL path NUL … kind NUL text NUL)*
//	NUL
//
// With an error, the complete answers before it.
func parseMerges(out []byte) ([]Merge, error) {
	p := &mergeParser{rest: out}
	var all []Merge
	for len(p.rest) > 0 {
		m, err := p.merge()
		if err != nil {
			return all, err
		}
		all = append(all, m)
	}
	return all, nil
}

type mergeParser struct{ rest []byte }

func (p *mergeParser) field() (string, error) {
	field, rest, ok := bytes.Cut(p.rest, []byte{0})
	if !ok {
		return "", fmt.Errorf("git merge-tree: the answer is cut short at %.40q", p.rest)
	}
	p.rest = rest
	return string(field), nil
}

func (p *mergeParser) merge() (Merge, error) {
	status, err := p.field()
	if err != nil {
		return Merge{}, err
	}
	if status != "0" && status != "1" {
		return Merge{}, fmt.Errorf("git merge-tree: status %.40q is not known", status)
	}
	tree, err := p.field()
	if err != nil || !git.IsOID(tree) {
		return Merge{}, fmt.Errorf("git merge-tree: %.80q is not a tree", tree)
	}
	stages, err := p.stages()
	if err != nil || status == "1" {
		return Merge{Clean: status == "1", Tree: tree}, err
	}
	var m Merge
	if m.Conflicts, err = p.messages(); err != nil {
		return m, err
	}
	m.Conflicts = tidy(m.Conflicts, stages)
	return m, nil
}

// stages are the blobs of an unmerged path: base, ours, theirs; empty where it
// is not there.
type stages [3]string

// tidy says more than git's own kinds do: content that neither side had before
// is "add/add", and "contents" adds nothing to "binary".
func tidy(all []Conflict, unmerged map[string]stages) []Conflict {
	binary := map[string]bool{}
	for i := range all {
		c := &all[i]
		binary[c.Paths[0]] = binary[c.Paths[0]] || c.Kind == "binary"
		if at, ok := unmerged[c.Paths[0]]; c.Kind == contents && ok && at[0] == "" {
			c.Kind = "add/add"
		}
		for _, path := range c.Paths {
			at := unmerged[path]
			c.Base, c.Ours, c.Theirs = appendBlob(c.Base, at[0]), appendBlob(c.Ours, at[1]), appendBlob(c.Theirs, at[2])
		}
	}
	return slices.DeleteFunc(all, func(c Conflict) bool { return c.Kind == contents && binary[c.Paths[0]] })
}

func appendBlob(all []string, oid string) []string {
	if oid == "" {
		return all
	}
	return append(all, oid)
}

// contents is git's kind for lines that both sides changed.
const contents = "contents"

// stages reads the unmerged entries up to the empty field behind them.
func (p *mergeParser) stages() (map[string]stages, error) {
	unmerged := map[string]stages{}
	for {
		field, err := p.field()
		if err != nil || field == "" {
			return unmerged, err
		}
		meta, path, ok := strings.Cut(field, "\t")
		f := strings.Fields(meta) // mode, blob, stage
		if !ok || len(f) != 3 || len(f[2]) != 1 || f[2] < "1" || f[2] > "3" {
			return nil, fmt.Errorf("git merge-tree: %.80q is not an entry", field)
		}
		at := unmerged[path]
		at[f[2][0]-'1'] = f[1]
		unmerged[path] = at
	}
}

// submoduleAdvice begins a text for people that git before 2.40 prints where the
// messages of a conflict in a submodule end.
const submoduleAdvice = "Recursive merging with submodules"

// messages reads what git says, up to the empty field behind it, and keeps the
// conflicts.
func (p *mergeParser) messages() (all []Conflict, err error) {
	for {
		count, err := p.field()
		if err != nil || count == "" || strings.HasPrefix(count, submoduleAdvice) {
			return all, err
		}
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 || n > len(p.rest) {
			return nil, fmt.Errorf("git merge-tree: %.40q is not a number of paths", count)
		}
		paths := make([]string, 0, min(n, 8))
		for range n {
			path, err := p.field()
			if err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
		kind, err := p.field()
		if err != nil {
			return nil, err
		}
		if _, err := p.field(); err != nil { // the sentence for people
			return nil, err
		}
		if n == 0 {
			continue
		}
		if name, ok := strings.CutPrefix(kind, "CONFLICT ("); ok {
			all = append(all, Conflict{Kind: strings.TrimSuffix(name, ")"), Paths: paths})
		} else if strings.HasPrefix(kind, "CONFLICT") || strings.HasPrefix(kind, "ERROR") {
			all = append(all, Conflict{Kind: strings.ToLower(kind), Paths: paths})
		}
	}
}
