package filetree

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/ignore"
)

// walker is one walk.
type walker struct {
	ctx     context.Context
	tree    *Tree
	outside bool   // inside an ignored folder
	prefix  string // path of the scanned folder in its repository, with a final slash
	ignores []rules
	attrs   []rules
	tracked tracked
	folders int // folders walked
	left    int // comparisons with patterns so far
}

// above reads the rules from outside the folder: those of its repository, from the top down to it. Rules that ignore the folder itself do
// not count, since the caller named it.
func (w *walker) above(dir string) {
	repo := repository(dir)
	if repo == nil {
		return
	}
	root, gitDir := repo.WorkTree, repo.CommonDir
	w.tracked.repo = repo
	w.ignores = append(w.ignores, parseIgnore("", readSmall(filepath.Join(gitDir, "info", "exclude"))))
	w.attrs = append(w.attrs, parseAttributes("", readSmall(filepath.Join(gitDir, "info", "attributes"))))
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." {
		return
	}
	w.prefix = filepath.ToSlash(rel) + "/"
	at, base := root, ""
	for segment := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		w.rulesOf(at, base)
		at, base = filepath.Join(at, segment), base+segment+"/"
	}
}

func readSmall(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxFile {
		return nil
	}
	text, _ := os.ReadFile(path) // without a repository there are no rules
	return text
}

func (w *walker) rulesOf(dir, base string) {
	if text := readSmall(filepath.Join(dir, ".gitignore")); text != nil {
		w.ignores = append(w.ignores, parseIgnore(base, text))
	}
	if text := readSmall(filepath.Join(dir, ".gitattributes")); text != nil {
		w.attrs = append(w.attrs, parseAttributes(base, text))
	}
}

// folder walks one folder; rel is "" or ends in a slash.
func (w *walker) folder(rel string, depth int, role folderRole, nested bool) error {
	outside := w.outside // an ignored folder is walked for its tracked files
	defer func() { w.outside = outside }()

	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.folders++; w.folders > maxFolders {
		w.cut("folders")
		return nil
	}
	dir := filepath.Join(w.tree.Dir, filepath.FromSlash(rel))
	entries, err := os.ReadDir(dir)
	if err != nil {
		if len(w.tree.Problems) < maxProblems {
			w.tree.Problems = append(w.tree.Problems, "folder "+cmp.Or(strings.TrimSuffix(rel, "/"), ".")+": "+fault.Cause(err).Error())
		}
		if len(entries) == 0 {
			return nil
		}
	}
	ignores, attrs := len(w.ignores), len(w.attrs)
	for _, e := range entries {
		switch e.Name() {
		case ".gitignore":
			w.ignores = append(w.ignores, parseIgnore(w.prefix+rel, w.small(rel+".gitignore")))
		case ".gitattributes":
			w.attrs = append(w.attrs, parseAttributes(w.prefix+rel, w.small(rel+".gitattributes")))
		case ".git":
			if nested {
				return nil // a repository of its own, such as a submodule
			}
		case "pyvenv.cfg", "CACHEDIR.TAG":
			if nested {
				return nil // a virtual environment, a cache
			}
		case "LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING":
			if nested && amongOthers(rel) {
				return nil // it has a licence of its own
			}
		}
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
			continue
		}
		w.file(rel, e, role)
		if w.tree.Cut {
			break
		}
	}
	for _, name := range folders {
		if w.tree.Cut || depth == maxDepth {
			break
		}
		inner := role.enter(rel, name)
		if inner.out {
			continue
		}
		if a := w.attributes(rel + name + "/"); a.out || inner.others && !a.in {
			continue
		}
		w.outside = outside || w.ignored(rel+name, true)
		if w.outside && !w.tracked.below(w.prefix+rel+name) {
			continue
		}
		if err := w.folder(rel+name+"/", depth+1, inner, true); err != nil {
			return err
		}
	}
	w.ignores, w.attrs = w.ignores[:ignores], w.attrs[:attrs]
	return nil
}

const maxProblems = 50

func (w *walker) small(rel string) []byte {
	text, _ := w.tree.ReadFile(rel)
	return text
}

func (w *walker) file(rel string, e fs.DirEntry, role folderRole) {
	kind := e.Type()
	if kind != 0 && kind != fs.ModeSymlink {
		return
	}
	path := rel + e.Name()
	if (w.outside || w.ignored(path, false)) && !w.tracked.file(w.prefix+path) {
		return
	}
	a := w.attributes(path)
	if a.out || generatedName(e.Name()) && !a.in {
		return
	}
	f := File{Path: path, Link: kind != 0, Role: role.file(e.Name()), Language: a.language, Undetectable: a.undetectable}
	if a.docs {
		f.Role = Docs
	}
	if !f.Link {
		info, err := e.Info()
		if err != nil {
			return // it disappeared meanwhile
		}
		f.Size = info.Size()
	}
	if len(w.tree.Files) == MaxFiles {
		w.cut("files")
		return
	}
	w.tree.Files = append(w.tree.Files, f)
	w.tree.has[path] = true
}

// cut ends the walk.
func (w *walker) cut(what string) {
	if !w.tree.Cut {
		w.tree.Cut = true
		w.tree.Problems = append(w.tree.Problems, "more "+what+" than are looked at: the rest is left out")
	}
}

// ignored applies the rules from the innermost outward; the last matching line decides.
func (w *walker) ignored(path string, dir bool) bool {
	if len(w.ignores) == 0 {
		return false
	}
	full := w.prefix + path
	for i := len(w.ignores) - 1; i >= 0; i-- {
		rs := &w.ignores[i]
		rel, ok := strings.CutPrefix(full, rs.base)
		if !ok {
			continue
		}
		if ignored, decided := ignore.LastWithin(&w.left, rs.patterns, rel, dir); decided {
			return ignored
		}
	}
	return false
}

// rules are the lines of one .gitignore or .gitattributes.
type rules struct {
	base     string // its folder within the repository, "" or ending in a slash
	patterns []ignore.Pattern
	attrs    [][]string // of .gitattributes, one list for each pattern
}

// maxRules bounds one file's lines.
const maxRules = 5000

// maxSteps bounds the comparisons of paths with patterns in a whole walk, since hostile rules can require any number: half a second's
// worth, a hundred times the need of a large repository.
const maxSteps = 20_000_000

func parseIgnore(base string, text []byte) rules {
	patterns := ignore.ParseFile(string(text))
	return rules{base: base, patterns: patterns[:min(len(patterns), maxRules)]}
}
