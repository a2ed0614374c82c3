package instruct

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Tree is the files of a working tree, by every name that an instruction may use.
type Tree struct {
	root  *os.Root
	repo  *git.Repo // nil outside of a repository
	files []string  // tracked, and others that are not ignored
	known map[string]bool
	dirs  map[string]bool
	// tails are files and folders by their last part, stems files by their last part without its endings.
	tails, stems map[string][]string
}

// maxFiles bounds the files of a folder outside of a repository.
const maxFiles = 200_000

// OpenTree reads the names of the files below root. It fails in a repository where the git program is missing, which knows them and the past
// names. index is the index file that git uses, "" for the repository's own. Close it after use.
func OpenTree(ctx context.Context, root, index string) (*Tree, error) {
	opened, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	t := &Tree{root: opened}
	if repo, err := git.Find(root); err == nil && repo.WorkTree != "" {
		t.repo = repo
		repo.IndexFile = index
	}
	files, err := t.list(ctx, root)
	if err != nil {
		opened.Close()
		return nil, err
	}
	t.index(files)
	return t, nil
}

// Close releases the folder.
func (t *Tree) Close() error { return t.root.Close() }

func (t *Tree) list(ctx context.Context, root string) ([]string, error) {
	if t.repo != nil {
		out, err := t.repo.Output(ctx, git.Options{Dir: root}, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
		var gone []byte
		if err == nil {
			gone, err = t.repo.Output(ctx, git.Options{Dir: root}, "ls-files", "-z", "--deleted")
		}
		if err != nil {
			return nil, git.Fault(err, "list the files of %q", root)
		}
		deleted := map[string]bool{}
		for _, f := range git.Records(gone) {
			deleted[f] = true
		}
		return slices.DeleteFunc(git.Records(out), func(f string) bool { return deleted[f] }), nil
	}
	var files []string
	err := fs.WalkDir(t.root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.IsDir():
			files = append(files, p)
		}
		if len(files) == maxFiles {
			return fs.SkipAll
		}
		return nil
	})
	return files, err
}

func (t *Tree) index(files []string) {
	t.files = files
	t.known = make(map[string]bool, len(files))
	t.dirs = map[string]bool{".": true}
	t.tails = make(map[string][]string, len(files))
	t.stems = make(map[string][]string, len(files))
	for _, f := range files {
		t.known[f] = true
		base := path.Base(f)
		t.tails[base] = append(t.tails[base], f)
		for stem := base; ; {
			cut := strings.TrimSuffix(stem, path.Ext(stem))
			if cut == stem || cut == "" {
				break
			}
			t.stems[cut], stem = append(t.stems[cut], f), cut
		}
		for dir := path.Dir(f); !t.dirs[dir]; dir = path.Dir(dir) {
			t.dirs[dir] = true
			t.tails[path.Base(dir)] = append(t.tails[path.Base(dir)], dir)
		}
	}
}

// Has reports whether a file or folder exists at p: listed, or on disk.
func (t *Tree) Has(p string) bool {
	p = path.Clean(p)
	return t.known[p] || t.dirs[p] || t.onDisk(p)
}

func (t *Tree) onDisk(p string) bool {
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return false
	}
	_, err := t.root.Lstat(filepath.FromSlash(p))
	return err == nil
}

func (t *Tree) isLink(p string) bool {
	info, err := t.root.Lstat(filepath.FromSlash(p))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Tails returns the files and folders whose path ends in p, also files whose path does so without one of its endings.
func (t *Tree) Tails(p string) []string {
	var found []string
	for _, f := range t.tails[path.Base(p)] {
		if f == p || strings.HasSuffix(f, "/"+p) {
			found = append(found, f)
		}
	}
	if len(found) > 0 {
		return found
	}
	for _, f := range t.stems[path.Base(p)] {
		if cut := path.Join(path.Dir(f), path.Base(p)); cut == p || strings.HasSuffix(cut, "/"+p) {
			found = append(found, f)
		}
	}
	return found
}

// Read returns the text of a file; links are followed only inside the root.
func (t *Tree) Read(p string) ([]byte, error) {
	info, err := t.root.Stat(filepath.FromSlash(p))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, err
	case err != nil:
		return nil, errors.New("a symbolic link on the way leaves the repository, or leads nowhere")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	return memoryfile.Read(t.root, filepath.FromSlash(p))
}

// unreadable returns why a file cannot be read, without the name of the system's call.
func unreadable(err error) string { return "it cannot be read: " + fault.Cause(err).Error() }

// Ignored returns the given paths that git ignores, as files or as folders.
func (t *Tree) Ignored(ctx context.Context, paths []string) map[string]bool {
	ignored := map[string]bool{}
	if t.repo == nil || len(paths) == 0 {
		return ignored
	}
	var in strings.Builder
	for _, p := range paths {
		if filepath.IsLocal(filepath.FromSlash(p)) {
			in.WriteString(p + "\x00" + p + "/\x00")
		}
	}
	out, err := t.repo.Output(ctx, git.Options{Dir: t.root.Name(), Stdin: strings.NewReader(in.String())}, "check-ignore", "--no-index", "-z", "--stdin")
	if err != nil && git.ExitCode(err) != 1 {
		return ignored
	}
	for _, p := range git.Records(out) {
		ignored[strings.TrimSuffix(p, "/")] = true
	}
	return ignored
}
