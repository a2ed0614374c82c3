package scan

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/git/ignore"
)

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
