package scan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gitindex"
)

// Tree is a work tree to look at.
type Tree struct {
	Repo *git.Repo
	// Seed identifies the settings: see the function Seed.
	Seed [sha256.Size]byte
	// Load returns the settings. It is called only when something changed.
	Load func(context.Context) (*Settings, error)

	settings *Settings
}

// Change is a file that differs from the index: not staged, or not tracked.
type Change struct {
	Path      string // slash-separated, the bytes git knows
	From      Blob   // as staged; zero when untracked or in an unsettled merge
	To        Blob   // as it would be staged; zero when deleted
	Converted bool   // To went through a filter: its bytes are not those on disk
	Stat      Stat   // of the file when it was read; zero when its times cannot be trusted
}

// Stamp identifies what was seen, so that the next scan can tell whether it
// would see the same.
type Stamp struct {
	Digest  [sha256.Size]byte
	Watch   []string // paths looked at besides the tracked files
	Settled bool     // every file seen was old enough that a later change shows
}

// Snapshot is the state of a work tree.
type Snapshot struct {
	Stamp
	Commits []string // HEAD and what is being merged; empty before the first commit
	Tree    string   // the staged tree, when git recorded it and nothing was staged since
	Work    []Change // by path
	// Attributes identifies the .gitattributes files in force: merges behave alike in work trees where it is equal.
	Attributes string
}

// SettleTime is the age that the youngest file must have before a stamp is trusted: some file systems store times in steps of two seconds.
// It is a variable for tests, which do not wait.
var SettleTime = 2 * time.Second

// maxUntracked is the number of untracked files up to which a work tree is scanned. More are probably a build or a download that was not
// ignored; no one wants it compared at that cost in memory and time.
const maxUntracked = 50_000

// Unchanged reports whether the work tree is still as in last.
func (t *Tree) Unchanged(ctx context.Context, last *Snapshot) (bool, error) {
	if last == nil || !last.Settled {
		return false, nil
	}
	seen, err := t.sweep(ctx)
	if err != nil {
		return false, err
	}
	return seen.stamp(t.watch(last.Watch)) == last.Digest, nil
}

// Scan reads the work tree. last is an earlier snapshot and may be nil; Scan returns last itself when nothing changed. objects makes a
// throwaway object store when filtered content needs one.
func (t *Tree) Scan(ctx context.Context, last *Snapshot, objects func() (string, error)) (*Snapshot, error) {
	start := time.Now()
	seen, err := t.sweep(ctx)
	if err != nil {
		return nil, err
	}
	if last != nil && last.Settled && seen.stamp(t.watch(last.Watch)) == last.Digest {
		return last, nil
	}
	if err := t.load(ctx); err != nil {
		return nil, err
	}
	list, err := t.untracked(ctx, seen.index)
	if err != nil {
		return nil, err
	}
	if len(list.files) > maxUntracked {
		return nil, fault.Operation(nil, "it has %d untracked files, more than the %d that are looked into", len(list.files), maxUntracked).
			WithHint("list generated files in .gitignore")
	}
	s := &Snapshot{Commits: seen.commits, Tree: seen.index.Tree}
	work, read, err := t.work(ctx, seen, list, last, objects)
	if err != nil {
		return nil, err
	}
	s.Work = work
	s.Attributes = attributesDigest(seen.index, s.Work)
	for _, path := range list.files {
		list.watch = append(list.watch, watched{path, read[path].stat})
	}
	slices.SortFunc(list.watch, func(a, b watched) int { return strings.Compare(a.path, b.path) })
	list.watch = slices.CompactFunc(list.watch, func(a, b watched) bool { return a.path == b.path })
	oldest := start.Add(-SettleTime).UnixNano()
	youngest := seen.youngest
	for _, w := range list.watch {
		s.Watch = append(s.Watch, w.path)
		youngest = max(youngest, w.stat.latest())
	}
	s.Settled = youngest < oldest
	s.Digest = seen.stamp(list.watch)
	for i := range s.Work {
		if s.Work[i].Stat.latest() >= oldest {
			s.Work[i].Stat = Stat{}
		}
	}
	return s, nil
}

// load reads the settings, once.
func (t *Tree) load(ctx context.Context) (err error) {
	if t.settings == nil {
		t.settings, err = t.Load(ctx)
	}
	return err
}

// attributesDigest returns a digest of the .gitattributes files as they would be staged.
func attributesDigest(ix *gitindex.Index, work []Change) string {
	files := map[string]string{}
	for i := range ix.Entries {
		if e := &ix.Entries[i]; isAttributes(e.Name) {
			files[string(e.Name)] = hex.EncodeToString(e.OID)
		}
	}
	for _, c := range work {
		if isAttributes([]byte(c.Path)) {
			files[c.Path] = c.To.OID
		}
	}
	return DigestOf(files)
}

// DigestOf returns a digest of files, given their objects by path; "" for none.
func DigestOf(files map[string]string) string {
	if len(files) == 0 {
		return ""
	}
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		sum.Write([]byte(path + "\x00" + files[path] + "\x00"))
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// isAttributes reports whether path is an attributes file.
func isAttributes(path []byte) bool {
	const name = ".gitattributes"
	return bytes.HasSuffix(path, []byte(name)) && (len(path) == len(name) || path[len(path)-len(name)-1] == '/')
}

// seen is a sweep with its inputs.
type seen struct {
	*sweep
	index     *gitindex.Index
	commits   []string
	seed      [sha256.Size]byte
	swept     digest
	indexStat Stat
}

func (t *Tree) sweep(ctx context.Context) (*seen, error) {
	s := &seen{sweep: &sweep{sum: sha256.New(), pending: make([]byte, 0, 64<<10), stats: map[int]Stat{}}, seed: t.Seed}
	var err error
	if s.commits, err = commits(ctx, t.Repo); err != nil {
		return nil, err
	}
	// Stat first: an index replaced in between is then seen as changed next time.
	file := filepath.Join(t.Repo.GitDir, "index")
	s.indexStat = statPath(file)
	if s.index, err = t.readIndex(ctx, file); err != nil {
		return nil, err
	}
	root, err := openRoot(t.Repo.WorkTree, false)
	if err != nil {
		return nil, fault.Operation(err, "open the work tree %q", t.Repo.WorkTree)
	}
	defer root.close()
	s.head = func(path []byte) string { return submoduleHead(ctx, t.Repo.WorkTree, path) }
	s.over(root, s.index, s.indexStat.Mtime)
	s.youngest = max(s.youngest, s.indexStat.latest())
	s.flush()
	s.sum.Sum(s.swept[:0])
	return s, ctx.Err()
}

// readIndex reads the index file, or asks git where its entries are elsewhere.
func (t *Tree) readIndex(ctx context.Context, file string) (*gitindex.Index, error) {
	buf, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return &gitindex.Index{}, nil // nothing was ever staged
	}
	if err != nil {
		return nil, fault.Operation(err, "read the index of %q", t.Repo.WorkTree)
	}
	ix, err := gitindex.Parse(buf, t.hashLen(ctx))
	if err == nil {
		return ix, nil
	}
	out, gitErr := t.Repo.Output(ctx, git.Options{Config: quiet}, gitindex.ListArgs()...)
	if gitErr != nil {
		return nil, git.Fault(gitErr, "read the index of %q", t.Repo.WorkTree)
	}
	if ix, err = gitindex.ParseList(out); err != nil {
		return nil, fault.Operation(err, "read the index of %q", t.Repo.WorkTree)
	}
	return ix, nil
}

func (t *Tree) hashLen(ctx context.Context) int {
	if t.settings != nil {
		return t.settings.Hash.Len()
	}
	head, err := t.Repo.Head(ctx)
	if err != nil {
		return SHA1.Len()
	}
	return HashOf(head.OID).Len()
}

// stamp returns a digest of everything that was seen.
func (s *seen) stamp(watch []watched) (d digest) {
	sum := sha256.New()
	sum.Write(s.seed[:])
	sum.Write([]byte(strings.Join(s.commits, " ") + "\n"))
	sum.Write(s.indexStat.appendTo(nil))
	sum.Write(s.swept[:])
	for i := range watch {
		sum.Write(watch[i].stat.appendTo([]byte(watch[i].path + "\x00")))
	}
	sum.Sum(d[:0])
	return d
}

// watch looks at paths that are not tracked.
func (t *Tree) watch(paths []string) []watched {
	all := make([]watched, len(paths))
	for i, path := range paths {
		all[i] = watched{path, statPath(filepath.Join(t.Repo.WorkTree, filepath.FromSlash(path)))}
	}
	return all
}

// untracked lists what the index does not know.
func (t *Tree) untracked(ctx context.Context, ix *gitindex.Index) (listing, error) {
	list := listUntracked(t.Repo.WorkTree, ix, t.settings.ignore)
	// Git reads ignore rules from the index where their file is not checked out.
	sparse := func(e gitindex.Entry) bool { return e.SkipWorktree && bytes.HasSuffix(e.Name, []byte(".gitignore")) }
	if !t.settings.AskGitIgnored && !slices.ContainsFunc(ix.Entries, sparse) {
		return list, nil
	}
	out, err := t.Repo.Output(ctx, git.Options{Config: quiet}, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return listing{}, git.Fault(err, "list untracked files of %q", t.Repo.WorkTree)
	}
	list.files = list.files[:0]
	for name := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(name) > 0 && name[len(name)-1] != '/' { // a slash ends the name of a repository inside
			list.files = append(list.files, string(name))
		}
	}
	slices.Sort(list.files)
	return list, nil
}

func entryBlob(e *gitindex.Entry) Blob { return Blob{Mode: e.Mode, OID: hex.EncodeToString(e.OID)} }

// commits returns the parents that a commit made now in the work tree would have: HEAD, and the commits being merged. There are none on a
// branch without a commit.
func commits(ctx context.Context, repo *git.Repo) ([]string, error) {
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head.OID == "" {
		return nil, nil
	}
	parents := []string{head.OID}
	text, err := os.ReadFile(filepath.Join(repo.GitDir, "MERGE_HEAD"))
	if err != nil {
		return parents, nil // no merge under way
	}
	for line := range strings.Lines(string(text)) {
		if oid := strings.TrimSpace(line); git.IsOID(oid) {
			parents = append(parents, oid)
		}
	}
	return parents, nil
}

// submoduleHead is the commit checked out in the submodule at path, "" when none is.
func submoduleHead(ctx context.Context, root string, path []byte) string {
	dir := filepath.Join(root, filepath.FromSlash(string(path)))
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return ""
	}
	sub, err := git.Find(dir)
	if err != nil || sub.WorkTree == "" {
		return ""
	}
	head, err := sub.Head(ctx)
	if err != nil {
		return ""
	}
	return head.OID
}
