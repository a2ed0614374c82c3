// Package library is a folder of memories. It lists and names them, and reads many at once in bounded memory.
//
// A memory's id is its path in the folder without .md, with slashes. Nothing outside the folder is read, also not through symbolic links.
// An entry that is not a regular file is reported and skipped. The package writes nothing and knows no verdicts. A Library is safe for
// concurrent use.
package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// Usual is the folder in which Serena keeps the memories of a project.
const Usual = ".serena/memories"

// Library is one folder of memories and the root that their citations are relative to.
type Library struct {
	Dir  string // the memories
	Root string // the folder that citations are relative to
	dir  *os.Root

	once    sync.Once
	entries []Entry
	listErr error

	top  sync.Once
	repo string // the top of the repository that contains Root, else Root
}

// Options locate the folder of memories.
type Options struct {
	From string // the current folder
	Dir  string // --dir: the folder of memories; "" looks for Usual
	Root string // --root: what citations are relative to; "" finds it
}

// Entry is one memory of the folder.
type Entry struct {
	ID   string
	Name string // path in the folder, with slashes
	// Problem is why it cannot be read; "" for a readable one.
	Problem string
	// Alias means that it is a link to another memory of the folder, which is read and written by its own name.
	Alias bool
}

// Open finds the folder of memories. Without one given it looks for
// .serena/memories in the current folder and those above it, up to the
// repository's root. Citations are relative to the folder that holds .serena,
// else to the repository's root, else to the current folder.
func Open(o Options) (*Library, error) {
	dir := o.Dir
	if dir == "" {
		found, err := lookFor(o.From)
		if err != nil {
			return nil, err
		}
		dir = found
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, folderFault(err, dir)
	}
	if err := staysIn(RootOf(o.From), o.From, dir, real); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, folderFault(err, dir)
	}
	l := &Library{Dir: real, dir: root, Root: o.Root}
	if l.Root == "" {
		l.Root = citedFolder(real, o.From)
	} else if l.Root, err = filepath.EvalSymlinks(l.Root); err != nil {
		root.Close()
		return nil, fault.Validation("root", "the folder %q does not exist", o.Root)
	}
	return l, nil
}

// staysIn refuses a folder that is named inside the repository but lies outside, because it is, or lies behind, a symbolic link: the link
// may have come with a clone.
func staysIn(top, from, dir, real string) error {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(from, dir)
	}
	named, err := filepath.Rel(top, dir)
	if parent, realErr := filepath.EvalSymlinks(from); realErr == nil && (err != nil || !filepath.IsLocal(named)) {
		if rel, relErr := filepath.Rel(from, dir); relErr == nil { // from may be spelled with a link of the user's own
			named, err = filepath.Rel(top, filepath.Join(parent, rel))
		}
	}
	if err != nil || !filepath.IsLocal(named) {
		return nil // outside on purpose
	}
	if at, err := filepath.Rel(top, real); err == nil && filepath.IsLocal(at) {
		return nil
	}
	return fault.Validation("dir", "the folder of memories %q is a link that leads outside of the repository", filepath.ToSlash(named)).
		WithHint("if these memories are yours, name them with --dir %s", text.ShellWord(real))
}

// Bare returns a library without memories, for checking only those of the registry.
func Bare(root string) *Library {
	l := &Library{Root: root}
	l.once.Do(func() {})
	return l
}

func folderFault(err error, dir string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.NotFound("folder", dir).WithHint("name the folder of your memories with --dir")
	}
	return fault.Validation("dir", "%q cannot be read as a folder of memories: %v", dir, err)
}

func lookFor(from string) (string, error) {
	top := ""
	if repo, err := git.Find(from); err == nil {
		top = repo.WorkTree
	}
	real, err := filepath.EvalSymlinks(from)
	if err != nil {
		real = from
	}
	for at := real; ; {
		dir := filepath.Join(at, filepath.FromSlash(Usual))
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
		parent := filepath.Dir(at)
		if at == top || parent == at {
			return "", fault.NotFound("folder", Usual).WithHint("run this inside the project, or name the folder of your memories with --dir; " +
				"`citecheck` alone checks the instructions for agents here; " +
				"`citecheck verify-all --registry` checks the memories of memoryd, and `memoryd update KEY --cite PATH:LINE` changes one")
		}
		at = parent
	}
}

// citedFolder returns the folder that citations in a folder of memories are relative to.
func citedFolder(dir, from string) string {
	if suffix := string(filepath.Separator) + filepath.FromSlash(Usual); strings.HasSuffix(dir, suffix) {
		return strings.TrimSuffix(dir, suffix)
	}
	if repo, err := git.Find(dir); err == nil && repo.WorkTree != "" {
		return repo.WorkTree
	}
	return RootOf(from)
}

// RootOf returns the root of the repository that contains a folder, else the folder.
func RootOf(from string) string {
	if repo, err := git.Find(from); err == nil && repo.WorkTree != "" {
		return repo.WorkTree
	}
	if real, err := filepath.EvalSymlinks(from); err == nil {
		return real
	}
	return from
}

// Close releases the folder.
func (l *Library) Close() error {
	if l.dir == nil {
		return nil
	}
	return l.dir.Close()
}

// Folder returns the open folder; nothing outside it can be reached through it.
func (l *Library) Folder() *os.Root { return l.dir }

// File returns a memory's path relative to Root with slashes, as git names it. For a folder outside Root it is the absolute path.
func (l *Library) File(e Entry) string {
	full := filepath.Join(l.Dir, filepath.FromSlash(e.Name))
	if rel, err := filepath.Rel(l.Root, full); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(full)
}

// InRepository returns a memory's path relative to the top of the repository, by which CI names files, from the path that File returns.
func (l *Library) InRepository(file string) string {
	full := filepath.FromSlash(file)
	if !filepath.IsAbs(full) {
		full = filepath.Join(l.Root, full)
	}
	l.top.Do(func() { l.repo = RootOf(l.Root) })
	if rel, err := filepath.Rel(l.repo, full); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}

// maxMemories and maxDepth end a walk through a folder that is not a folder of memories.
const (
	maxMemories = 100_000
	maxDepth    = 32
)

// Entries lists the memories by id. Hidden folders are passed over.
func (l *Library) Entries() ([]Entry, error) {
	l.once.Do(func() { l.entries, l.listErr = l.list() })
	return l.entries, l.listErr
}

func (l *Library) list() (entries []Entry, err error) {
	err = filepath.WalkDir(l.Dir, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(l.Dir, path)
		if relErr != nil || rel == "." {
			return err
		}
		name := filepath.ToSlash(rel)
		if err != nil {
			entries = append(entries, Entry{ID: name, Name: name, Problem: "the folder cannot be read: " + fault.Cause(err).Error()})
			return nil
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") >= maxDepth {
				return fs.SkipDir
			}
			return nil
		}
		id, ok := memoryID(name)
		if !ok || strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		if len(entries) == maxMemories {
			return fault.Validation("dir", "%q holds more than %d markdown files", l.Dir, maxMemories).WithHint("name the folder of your memories with --dir")
		}
		e := Entry{ID: id, Name: name, Problem: l.odd(name, d)}
		e.Alias = e.Problem == "" && !d.Type().IsRegular() && l.leadsToMemory(path)
		entries = append(entries, e)
		return nil
	})
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	return entries, err
}

// odd returns why an entry that is not a regular file is not read.
func (l *Library) odd(name string, d fs.DirEntry) string {
	switch mode := d.Type(); {
	case mode.IsRegular():
		return ""
	case mode&fs.ModeSymlink != 0:
		info, err := l.dir.Stat(filepath.FromSlash(name)) // never leaves the folder
		if err != nil {
			return "the symbolic link leaves the folder of memories or leads nowhere"
		}
		if info.Mode().IsRegular() {
			return ""
		}
	}
	return "it is not a regular file"
}

// leadsToMemory reports whether a link leads to a memory of the folder.
func (l *Library) leadsToMemory(link string) bool {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(l.Dir, target)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	_, ok := memoryID(filepath.Base(rel))
	return ok && !strings.HasPrefix(rel, ".") && !strings.Contains(filepath.ToSlash(rel), "/.")
}

func memoryID(name string) (string, bool) {
	if len(name) < 4 || !strings.EqualFold(name[len(name)-3:], ".md") {
		return "", false
	}
	return name[:len(name)-3], true
}

// Doc is one memory that was read.
type Doc struct {
	Entry
	*memoryfile.Memory // nil when it could not be read
}

// Read reads one memory. Its Problem is set when it cannot be read.
func (l *Library) Read(e Entry, want memoryfile.Want) Doc {
	r := memoryfile.Reader{Root: l.dir}
	defer r.Close()
	return l.read(&r, e, want)
}

func (l *Library) read(r *memoryfile.Reader, e Entry, want memoryfile.Want) Doc {
	if e.Problem != "" {
		return Doc{Entry: e}
	}
	src, err := r.Read(e.Name)
	if err != nil {
		src, err = memoryfile.Read(l.dir, e.Name) // a link leads to another folder, or nowhere
	}
	if err != nil {
		e.Problem = fault.From(err).Message
		return Doc{Entry: e}
	}
	return Doc{e, memoryfile.Parse(src, want)}
}

// Map reads memories, as many at once as there are processors, and returns the results of fn in order. A memory that fn does not keep is
// freed at once.
func Map[T any](ctx context.Context, l *Library, entries []Entry, want memoryfile.Want, fn func(Doc) T) ([]T, error) {
	out := make([]T, len(entries))
	workers := runtime.GOMAXPROCS(0)
	share := (len(entries) + workers*4 - 1) / (workers * 4) // at least 1, unless there are no entries
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for from := 0; from < len(entries); from += share {
		g.Go(func() error {
			r := memoryfile.Reader{Root: l.dir}
			defer r.Close()
			for i := from; i < min(from+share, len(entries)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				out[i] = fn(l.read(&r, entries[i], want))
			}
			return nil
		})
	}
	return out, g.Wait()
}

// Find returns the memory that a person named: by id, by path (from the current folder, from the root, or in the folder of memories), or by
// file name when only one memory has it.
func (l *Library) Find(from, name string) (Entry, error) {
	if l.dir == nil {
		return Entry{}, fault.NotFound("memory", name).WithHint("there is no folder %s in %q; name the folder of your memories with --dir", Usual, l.Root)
	}
	if name == "" || len(name) > 4096 || strings.ContainsRune(name, 0) {
		return Entry{}, fault.Validation("memory", "%q names no memory", text.Cut(name, 80))
	}
	entries, err := l.Entries()
	if err != nil {
		return Entry{}, err
	}
	if e, ok := l.byPath(from, name, entries); ok {
		return e, nil
	}
	switch found := Resolve(entries, "", name); len(found) {
	case 1:
		return entries[found[0]], nil
	case 0:
		f := fault.NotFound("memory", name)
		if near := Nearest(entries, name); near != "" {
			return Entry{}, f.WithHint("did you mean %q?", near)
		}
		return Entry{}, f.WithHint("`citecheck health` lists the memories of %q", l.Dir)
	default:
		names := make([]string, len(found))
		for i, at := range found {
			names[i] = entries[at].ID
		}
		return Entry{}, fault.Validation("memory", "%q may mean %s", name, strings.Join(names[:min(len(names), 10)], ", ")).WithHint("give the whole id")
	}
}

// byPath finds a memory by the path of its file.
func (l *Library) byPath(from, name string, entries []Entry) (Entry, bool) {
	if _, ok := memoryID(name); !ok {
		return Entry{}, false
	}
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(from, filepath.FromSlash(name))
	}
	for _, path := range []string{full, filepath.Join(l.Root, filepath.FromSlash(name)), filepath.Join(l.Dir, filepath.FromSlash(name))} {
		if parent, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(parent, filepath.Base(path))
		}
		rel, err := filepath.Rel(l.Dir, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		rel = filepath.ToSlash(rel)
		if i, ok := slices.BinarySearchFunc(entries, rel[:max(len(rel)-3, 0)], func(e Entry, id string) int { return strings.Compare(e.ID, id) }); ok && entries[i].Name == rel {
			return entries[i], true
		}
	}
	return Entry{}, false
}
