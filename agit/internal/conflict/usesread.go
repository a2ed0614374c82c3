package conflict

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/agit/internal/conflict/uses"
	"github.com/agit-suite/agit/shared/git"
)

const (
	// maxUsesFiles bounds the files of a side that are read, maxUsesText the bytes of each.
	maxUsesFiles, maxUsesText = 2000, 1 << 20
)

// sideKey identifies what a state changed from which base, and its commit, because the report names that commit.
func (s *state) sideKey() string {
	sum := sha256.New()
	head := s.Commit // of the default branch
	if !s.tip {
		head = strings.Join(s.Snap.Commits, " ")
	}
	fmt.Fprintf(sum, "%s %s\n", s.Base, head)
	for _, path := range slices.Sorted(maps.Keys(s.Entries)) {
		if e := s.Entries[path]; e.touched() {
			fmt.Fprintf(sum, "%q %v %v %v %q\n", path, e.Base, e.Head, e.Now, e.From)
		}
	}
	return string(sum.Sum(nil)[:16])
}

// sides reads the changes of states; one that changed too much has no side.
func (c *comparison) sides(ctx context.Context, states []*state) (map[*state]*uses.Side, error) {
	var ask []string
	seen := map[string]bool{}
	for _, s := range states {
		for _, oid := range s.blobsToRead() {
			if !seen[oid] {
				seen[oid] = true
				ask = append(ask, oid)
			}
		}
	}
	texts, err := c.contents(ctx, ask)
	if err != nil {
		return nil, err
	}
	made := make([]*uses.Side, len(states))
	err = c.each(ctx, len(states), func(ctx context.Context, i int) error {
		made[i] = states[i].side(texts)
		return ctx.Err()
	})
	found := map[*state]*uses.Side{}
	for i, s := range states {
		if made[i] != nil {
			found[s] = made[i]
		}
	}
	return found, err
}

// contents reads blobs from the repository or, where states were imported, from this run's store.
func (c *comparison) contents(ctx context.Context, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return map[string]string{}, nil
	}
	return mergetree.Contents(ctx, c.common, c.store.made(), names, maxUsesText)
}

// inUses reports whether an entry is a text to compare.
func (e *entry) inUses() bool {
	return e.touched() && e.To == "" && (text(e.Base) || text(e.Now)) && e.Base.OID != e.Now.OID || e != nil && e.From != ""
}

func (s *state) blobsToRead() (oids []string) {
	for _, e := range s.Entries {
		if !e.inUses() {
			continue
		}
		if before := s.before(e); text(before) {
			oids = append(oids, before.OID)
		}
		if text(e.Now) && !e.OnDisk {
			oids = append(oids, e.Now.OID)
		}
	}
	return oids
}

// before returns the file in the base, even when it had another name there.
func (s *state) before(e *entry) scan.Blob {
	if from := s.Entries[e.From]; e.From != "" && from != nil {
		return from.Base
	}
	return e.Base
}

// side sums up what a state changed.
func (s *state) side(texts map[string]string) *uses.Side {
	var files []uses.File
	for _, path := range slices.Sorted(maps.Keys(s.Entries)) {
		e := s.Entries[path]
		if !e.inUses() {
			continue
		}
		before := s.before(e)
		f := uses.File{Path: path, OldPath: e.From, Removed: e.Now.Mode == 0}
		var ok bool
		if f.Base, ok = texts[before.OID]; text(before) && !ok {
			continue // too large, or missing in a damaged or partial repository
		}
		switch {
		case !text(e.Now):
		case e.OnDisk:
			now, ok := s.onDisk(e)
			if !ok {
				continue // too large, or it changed meanwhile: the next scan sees that
			}
			f.Now = now
		default:
			if f.Now, ok = texts[e.Now.OID]; !ok {
				continue
			}
		}
		if strings.IndexByte(f.Base, 0) >= 0 || strings.IndexByte(f.Now, 0) >= 0 {
			continue
		}
		if files = append(files, f); len(files) > maxUsesFiles {
			return nil
		}
	}
	return uses.NewSide(files)
}

// onDisk reads a file of the work tree, unless it changed since it was scanned.
func (s *state) onDisk(e *entry) (string, bool) {
	f, err := os.Open(s.disk(e.Path))
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxUsesText+1))
	if err != nil || len(data) > maxUsesText {
		return "", false
	}
	if e.Converted {
		return string(data), true // git stores other bytes, but the names are the same
	}
	sum := scan.HashOf(e.Now.OID).New()
	fmt.Fprintf(sum, "blob %d\x00", len(data))
	sum.Write(data)
	return string(data), hex.EncodeToString(sum.Sum(nil)) == e.Now.OID
}

// baseTree reads the files that a state did not change, as they are in its base.
type baseTree struct {
	ctx context.Context
	c   *comparison
	s   *state
}

// knownTree caches what was read of a base.
type knownTree struct {
	holding map[string][]string
	texts   map[string]string
	paths   []string
}

func (t baseTree) known() *knownTree {
	k := t.c.bases[t.s.Base]
	if k == nil {
		k = &knownTree{holding: map[string][]string{}, texts: map[string]string{}}
		t.c.bases[t.s.Base] = k
	}
	return k
}

// Holding implements uses.Tree.
func (t baseTree) Holding(names []string) (map[string][]string, error) {
	known := t.known()
	if err := known.grep(t.ctx, t.c.common, t.s.Base, names); err != nil {
		return nil, err
	}
	found := map[string][]string{}
	var ask []string
	for _, n := range names {
		for _, path := range known.holding[n] {
			if t.s.Entries[path].touched() {
				continue
			}
			found[n] = append(found[n], path)
			if _, ok := known.texts[path]; !ok && len(found[n]) < 100 && uses.Known(path) {
				ask = append(ask, path)
			}
		}
	}
	return found, known.read(t.ctx, t.c, t.s.Base, ask)
}

// grep looks for names in all files of a commit.
func (k *knownTree) grep(ctx context.Context, repo *git.Repo, commit string, names []string) error {
	args := []string{"grep", "--no-color", "--full-name", "-z", "-I", "-o", "-w", "-F"}
	asked := false
	for _, n := range names {
		if _, ok := k.holding[n]; !ok {
			k.holding[n], asked = nil, true
			args = append(args, "-e", n)
		}
	}
	if !asked {
		return nil
	}
	out, err := repo.Output(ctx, git.Options{}, append(args, commit, "--")...)
	if git.ExitCode(err) == 1 {
		return nil
	}
	if err != nil {
		return git.Fault(err, "look for names in %s", commit)
	}
	for line := range strings.Lines(string(out)) {
		file, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		file = strings.TrimPrefix(file, commit+":")
		if held := k.holding[name]; ok && (len(held) == 0 || held[len(held)-1] != file) {
			k.holding[name] = append(held, file)
		}
	}
	return nil
}

// read fetches files of a commit.
func (k *knownTree) read(ctx context.Context, c *comparison, commit string, paths []string) error {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = commit + ":" + path
	}
	texts, err := c.contents(ctx, names)
	for i, path := range paths {
		k.texts[path] = texts[names[i]]
	}
	return err
}

// Text implements uses.Tree.
func (t baseTree) Text(path string) (string, error) {
	known := t.known()
	if _, ok := known.texts[path]; !ok {
		if err := known.read(t.ctx, t.c, t.s.Base, []string{path}); err != nil {
			return "", err
		}
	}
	return known.texts[path], nil
}

// Paths implements uses.Tree.
func (t baseTree) Paths() ([]string, error) {
	known := t.known()
	if known.paths == nil {
		out, err := t.c.common.Output(t.ctx, git.Options{}, "ls-tree", "-r", "-z", "--name-only", "--full-tree", t.s.Base)
		if err != nil {
			return nil, git.Fault(err, "list the files of %s", t.s.Base)
		}
		known.paths = strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	}
	all := make([]string, 0, len(known.paths)+len(t.s.Entries))
	for _, path := range known.paths {
		if e := t.s.Entries[path]; !e.touched() || e.Now.Mode != 0 {
			all = append(all, path)
		}
	}
	for path, e := range t.s.Entries {
		if e.touched() && e.Base.Mode == 0 && e.Now.Mode != 0 {
			all = append(all, path)
		}
	}
	return all, nil
}
