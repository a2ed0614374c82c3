package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
	"golang.org/x/text/unicode/norm"
)

// Options say which state of the code to look at.
type Options struct {
	// At is WorkingTree, Index or a revision as git reads it (HEAD~3, a branch,
	// an object name).
	At string
	// Around requests Result.Around.
	Around bool
	// IndexFile is the index file for the state Index, when it is not the repository's own: git sets another one for the hooks of a partial
	// commit.
	IndexFile string
}

// The states that are not commits.
const (
	WorkingTree = ""
	Index       = ":"
)

// Checker verifies citations against one state of one folder.
type Checker struct {
	repo    *git.Repo    // nil without git
	objects *git.Objects // nil without git
	prefix  string       // the folder within the repository, "" for its top
	at      string       // WorkingTree, Index, or the commit's full name
	head    string
	workers int
	around  bool // surroundings of valid citations are requested
	state   state
	index   func(context.Context) (*indexTree, error)

	redacted atomic.Bool // files are compared without their secrets

	commits cache[string]            // full names of the recorded commits
	renames cache[map[string]string] // by commit

	mu   sync.Mutex
	same map[string]map[string]bool // by commit: the paths that are the same there
}

// Open prepares to verify citations into the folder root, which may be a
// repository, a folder inside one, a linked worktree, a submodule, or a folder
// without git. It starts no process for the working tree. Index and revisions
// need git; a revision that does not exist is a NotFound fault. Close the
// Checker after use.
func Open(ctx context.Context, root string, o Options) (*Checker, error) {
	c := &Checker{workers: runtime.GOMAXPROCS(0), around: o.Around, same: map[string]map[string]bool{}}
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fault.NotFound("folder", root).WithHint("check the spelling, or give the folder's new place")
	case err != nil:
		return nil, fault.Operation(err, "look at %q", root)
	case !info.IsDir():
		return nil, fault.Validation("root", "%q is not a folder", root)
	}
	top, err := filepath.Abs(root)
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if err != nil {
		return nil, fault.Operation(err, "resolve %q", root)
	}
	// A folder whose .git is broken is checked without git, as is any folder where git is not installed.
	if repo, err := git.Find(top); err == nil && (git.Installed() || o.At != WorkingTree) {
		c.repo = repo
		repo.IndexFile = o.IndexFile
	}
	if c.repo != nil && c.repo.WorkTree != "" {
		if rel, err := filepath.Rel(c.repo.WorkTree, top); err == nil && filepath.IsLocal(rel) {
			top, c.prefix = c.repo.WorkTree, strings.TrimPrefix(filepath.ToSlash(rel), ".")
		} else {
			c.repo = nil
		}
	}
	if err := c.look(ctx, top, o.At); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// look sets up the state.
func (c *Checker) look(ctx context.Context, top, at string) error {
	if c.repo != nil {
		c.objects = c.repo.Objects(context.WithoutCancel(ctx))
		if head, err := c.repo.Head(ctx); err == nil {
			c.head = head.OID
		}
		c.index = once(func(ctx context.Context) (*indexTree, error) { return newIndexTree(ctx, c.repo, c.objects) })
	}
	switch {
	case c.repo == nil && at != WorkingTree:
		return fault.Validation("at", "%q is not in a git repository, so only the files as they are can be checked", top)
	case at == Index:
		index, err := c.index(ctx)
		if err != nil {
			return err
		}
		c.at, c.state = Index, index
	case at != WorkingTree:
		oid, err := c.Resolve(ctx, at)
		if err != nil {
			return err
		}
		c.at, c.state = oid, &commitTree{repo: c.repo, objects: c.objects, oid: oid}
	case c.repo != nil && c.repo.Bare:
		return fault.Validation("at", "%q has no working tree", top).WithHint("name a commit to check, such as HEAD")
	default:
		w, err := newWorkingTree(top, c.repo, c.index)
		if err != nil {
			return fault.Operation(err, "open %q", top)
		}
		c.state = w
	}
	return nil
}

// once remembers the result of make, unless make failed.
func once[T any](make func(context.Context) (T, error)) func(context.Context) (T, error) {
	var mu sync.Mutex
	var made bool
	var value T
	return func(ctx context.Context) (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if made {
			return value, nil
		}
		v, err := make(ctx)
		if err == nil {
			value, made = v, true
		}
		return v, err
	}
}

// cache keeps values by name, for several goroutines.
type cache[V any] struct {
	mu   sync.Mutex
	kept map[string]V
}

// get returns the value of a name, from load the first time. When most other values are kept (0: any number), it forgets them.
func (c *cache[V]) get(name string, most int, load func() (V, error)) (V, error) {
	c.mu.Lock()
	value, known := c.kept[name]
	c.mu.Unlock()
	if known {
		return value, nil
	}
	value, err := load()
	if err != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || most > 0 && len(c.kept) >= most {
		c.kept = map[string]V{}
	}
	c.kept[name] = value
	return value, nil
}

// Close ends the processes that the Checker keeps.
func (c *Checker) Close() error {
	if c.objects != nil {
		c.objects.Close()
	}
	if w, ok := c.state.(*workingTree); ok {
		return w.root.Close()
	}
	return nil
}

// Commit returns the commit that the state is or is based on: the revision, else HEAD; "" without git or before the first commit.
func (c *Checker) Commit() string {
	if c.at != WorkingTree && c.at != Index {
		return c.at
	}
	return c.head
}

// Resolve returns the full name of the commit that a revision names, or a
// NotFound fault.
func (c *Checker) Resolve(ctx context.Context, rev string) (string, error) {
	if c.repo == nil {
		return "", fault.NotFound("revision", rev).WithHint("the folder is not in a git repository")
	}
	if rev == "" || strings.HasPrefix(rev, "-") {
		return "", fault.Validation("rev", "%q is not a revision", rev)
	}
	object, err := c.objects.Read(ctx, rev+"^{commit}", 0)
	if err != nil {
		return "", git.Fault(err, "look up revision %q", rev)
	}
	if object.Found != git.Found || object.Type != "commit" {
		return "", fault.NotFound("revision", rev).WithHint("`git log` shows the commits there are; a shallow clone holds few")
	}
	return object.OID, nil
}

// outward turns a path of the repository into one relative to the folder.
func (c *Checker) outward(p string) string {
	if c.prefix == "" || p == "" {
		return p
	}
	if rest, ok := strings.CutPrefix(p, c.prefix+"/"); ok {
		return rest
	}
	if rel, err := filepath.Rel(filepath.FromSlash(c.prefix), filepath.FromSlash(p)); err == nil {
		return filepath.ToSlash(rel)
	}
	return p
}

// Text returns the lines from line to end (0: that line alone) of path in the
// state looked at, without line ends, for a new citation. A path that leaves
// the repository is a Validation fault, a file or line that does not exist a
// NotFound fault.
func (c *Checker) Text(ctx context.Context, p string, line, end int) (string, error) {
	at, got, err := c.at1(ctx, p)
	if err != nil {
		return "", err
	}
	switch got.is {
	case absent:
		return "", fault.NotFound("file", p).WithHint("paths are relative to the project's folder")
	case folder:
		return "", fault.Validation("path", "%q is a folder", p)
	case escaping:
		return "", fault.Validation("path", "%q was not read: %s", p, got.why)
	case unreadable:
		return "", fault.Validation("path", "%q %s", p, got.why)
	}
	f := c.parse(got.data)
	if f == nil {
		return "", fault.Validation("path", "%q is not a text file", at)
	}
	end = max(line, end)
	if line < 1 || end > f.Len() {
		return "", fault.NotFound("line", fmt.Sprintf("%s:%d", p, max(line, end))).WithHint("the file has %d lines", f.Len())
	}
	lines := make([]string, 0, end-line+1)
	for i := line - 1; i < end; i++ {
		lines = append(lines, string(f.Line(i)))
	}
	return strings.Join(lines, "\n"), nil
}

// at1 cleans a caller's path and reads it.
func (c *Checker) at1(ctx context.Context, p string) (string, content, error) {
	cleaned, why, ok := clean(c.prefix, p)
	if !ok {
		return "", content{is: escaping, why: why}, nil
	}
	return c.read(ctx, cleaned)
}

// textFile reads a caller's path, nil when it is not a text file.
func (c *Checker) textFile(ctx context.Context, p string) (*textfile.File, error) {
	_, got, err := c.at1(ctx, p)
	if err != nil {
		return nil, git.Fault(err, "read %q", p)
	}
	if got.is != present {
		return nil, nil
	}
	return c.parse(got.data), nil
}

// read reads a cleaned path. When there is no such file, it tries slashes for backslashes, and the accents as the file system may store
// them: composed as people type them (Unicode's NFC) or decomposed (NFD), as in files from a Mac.
func (c *Checker) read(ctx context.Context, cleaned string) (string, content, error) {
	got, err := c.state.read(ctx, cleaned)
	if err != nil || got.is != absent {
		return cleaned, got, err
	}
	slashed := strings.ReplaceAll(cleaned, `\`, "/")
	for _, spelling := range []string{slashed, norm.NFC.String(slashed), norm.NFD.String(slashed)} {
		if spelling == cleaned {
			continue
		}
		other, why, ok := clean("", spelling)
		if !ok {
			return cleaned, content{is: escaping, why: why}, nil
		}
		if found, err := c.state.read(ctx, other); err == nil && found.is != absent {
			return other, found, nil
		}
	}
	return cleaned, got, nil
}

// Exists reports whether path names a file or folder of the state looked at
// (a prose reference to adopt, say). Paths outside do not exist.
func (c *Checker) Exists(ctx context.Context, p string) bool {
	_, got, err := c.at1(ctx, p)
	return err == nil && got.is != absent && got.is != escaping
}

// Files lists the files of the state looked at, relative to the Checker's folder and sorted, for looking up base names. They are the
// tracked files, in the working tree also untracked files that are not ignored; without git the files on disk, at most maxListed.
func (c *Checker) Files(ctx context.Context) ([]string, error) {
	all, err := c.state.files(ctx)
	if err != nil {
		return nil, git.Fault(err, "list the files")
	}
	files := make([]string, 0, len(all))
	for _, p := range all {
		if c.prefix == "" || strings.HasPrefix(p, c.prefix+"/") {
			files = append(files, c.outward(path.Clean(p)))
		}
	}
	slices.Sort(files)
	return files, nil
}
