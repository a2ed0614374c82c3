package scan

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git/gitindex"
	"github.com/agit-suite/agit/shared/git/ignore"
)

// listing is the content of a work tree besides its tracked files.
type listing struct {
	files []string // untracked and not ignored, sorted
	// watch are further paths to look at for changes: untracked folders that
	// are not ignored (something may appear in them) and rule files that are
	// not tracked. The untracked files are not repeated.
	watch []watched
}

// watched is a path with its stat from before it was read.
type watched struct {
	path string
	stat Stat
}

type lister struct {
	index []gitindex.Entry
	buf   []byte
	out   listing
}

// listUntracked reads every folder that holds tracked files, and every untracked
// folder that is not ignored.
func listUntracked(root string, ix *gitindex.Index, shared *sharedRules) listing {
	l := &lister{index: ix.Entries, buf: make([]byte, 32<<10)}
	if top, err := openRoot(root, true); err == nil {
		l.tracked(top, &rules{root: root, shared: shared}, 0, len(ix.Entries))
		top.close()
	}
	slices.Sort(l.out.files)
	return l.out
}

// child is a name in a folder that the index knows. Index order sorts a folder
// as if its name ended in a slash, so key carries that slash.
type child struct {
	key     []byte
	gitlink bool
	lo, hi  int // entries below, when a folder
}

// found is a name that the index does not know.
type found struct {
	name string
	kind kind
}

// tracked lists a folder whose entries are index[lo:hi].
func (l *lister) tracked(in folder, at *rules, lo, hi int) {
	children := l.children(len(at.path), lo, hi)
	var news []found
	var key []byte
	_ = in.each(l.buf, func(name []byte, k kind) { // what cannot be read holds nothing to report
		key = append(append(key[:0], name...), '/')
		if !known(children, key, k == kindFolder) {
			news = append(news, found{string(name), k})
		}
	})
	for _, f := range news {
		l.found(in, at, f)
	}
	for _, c := range children {
		if c.hi == c.lo {
			continue
		}
		name := c.key[:len(c.key)-1]
		if sub, ok := in.sub(name, true); ok {
			l.tracked(sub, at.below(string(name)), c.lo, c.hi)
			sub.close()
		}
	}
}

func (l *lister) children(prefix, lo, hi int) []child {
	var all []child
	for i := lo; i < hi; {
		name := l.index[i].Name[prefix:]
		slash := bytes.IndexByte(name, '/')
		if slash < 0 {
			all = append(all, child{key: name, gitlink: l.index[i].Mode == gitindex.ModeGitlink})
			i++
			continue
		}
		c := child{key: name[:slash+1], lo: i}
		folder := l.index[i].Name[:prefix+slash+1]
		for i < hi && bytes.HasPrefix(l.index[i].Name, folder) {
			i++
		}
		c.hi = i
		all = append(all, c)
	}
	return all
}

// known reports whether a name found on disk is one of the children. key is the name with a slash appended.
func known(children []child, key []byte, isDir bool) bool {
	find := func(key []byte) (int, bool) {
		return slices.BinarySearchFunc(children, key, func(c child, key []byte) int { return bytes.Compare(c.key, key) })
	}
	name := key[:len(key)-1]
	if isDotGit(name) {
		return true // git never tracks it
	}
	if !isDir {
		_, ok := find(name)
		return ok
	}
	if _, ok := find(key); ok {
		return true
	}
	i, ok := find(name)
	return ok && children[i].gitlink
}

// found handles a name that is not tracked.
func (l *lister) found(in folder, at *rules, f found) {
	path := at.path + f.name
	if f.name == ".gitignore" || f.name == ".gitattributes" {
		l.watch(path, in.stat([]byte(f.name))) // these take effect even when they are ignored
	}
	if f.kind == kindOther || at.ignores(f.name, f.kind == kindFolder) {
		return
	}
	if f.kind != kindFolder {
		l.out.files = append(l.out.files, path)
		return
	}
	if sub, ok := in.sub([]byte(f.name), true); ok {
		l.untracked(sub, at.below(f.name))
		sub.close()
	}
}

// untracked lists a folder without tracked files. It does not look into a nested repository, because git would not add its files either.
func (l *lister) untracked(in folder, at *rules) {
	l.watch(strings.TrimSuffix(at.path, "/"), in.self())
	var news []found
	repository := false
	_ = in.each(l.buf, func(name []byte, k kind) {
		repository = repository || isDotGit(name)
		news = append(news, found{string(name), k})
	})
	if repository {
		return
	}
	for _, f := range news {
		l.found(in, at, f)
	}
}

func (l *lister) watch(path string, st Stat) { l.out.watch = append(l.out.watch, watched{path, st}) }

// isDotGit reports whether git never tracks this name, on any file system.
func isDotGit(name []byte) bool { return len(name) == 4 && bytes.EqualFold(name, []byte(".git")) }

// maxRules is the size in bytes up to which a .gitignore is read.
const maxRules = 4 << 20

// rules are git's ignore rules as they hold in one folder of a work tree.
type rules struct {
	root   string // of the work tree
	path   string // of the folder, with its slash; "" at the root
	parent *rules
	shared *sharedRules // the rules of the repository and the user

	loaded   bool
	own      []ignore.Pattern // the folder's own .gitignore
	excluded bool             // the folder itself, or one above it, is ignored
}

// sharedRules are the rules from outside the work tree, strongest first.
type sharedRules struct{ lists [][]ignore.Pattern }

func loadSharedRules(files ...string) *sharedRules {
	s := &sharedRules{}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			s.lists = append(s.lists, ignore.ParseFile(string(text)))
		}
	}
	return s
}

// below returns the rules in a sub-folder.
func (r *rules) below(name string) *rules {
	return &rules{root: r.root, path: r.path + name + "/", parent: r, shared: r.shared}
}

// load reads the folder's .gitignore. Most folders never need it.
func (r *rules) load() {
	if r.loaded {
		return
	}
	r.loaded = true
	if r.parent != nil {
		r.parent.load()
		name := strings.TrimSuffix(r.path[len(r.parent.path):], "/")
		r.excluded = r.parent.excluded || r.parent.matches(name, true)
	}
	file := filepath.Join(r.root, filepath.FromSlash(r.path), ".gitignore")
	if st := statPath(file); st.Mode&0o170000 == 0o100000 && st.Size <= maxRules { // git follows no link here
		if text, err := os.ReadFile(file); err == nil {
			r.own = ignore.ParseFile(string(text))
		}
	}
}

// ignores reports whether name in this folder is ignored.
func (r *rules) ignores(name string, isDir bool) bool {
	r.load()
	return r.excluded || r.matches(name, isDir)
}

// matches applies the rules from the innermost folder outwards; the first that matches decides.
func (r *rules) matches(name string, isDir bool) bool {
	path := r.path + name
	for at := r; at != nil; at = at.parent {
		if ignored, decided := ignore.Last(at.own, path[len(at.path):], isDir); decided {
			return ignored
		}
	}
	for _, list := range r.shared.lists {
		if ignored, decided := ignore.Last(list, path, isDir); decided {
			return ignored
		}
	}
	return false
}
