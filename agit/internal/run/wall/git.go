package wall

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// Git lists what git reads and writes of a repository to commit in one of its worktrees.
type Git struct {
	Common string   // the repository's git folder
	Main   string   // its main checkout; "" for none
	Write  []string // paths that git writes
	Fixed  []string // paths inside Write that stay read-only
}

// GitOf returns the paths that git needs to commit in a linked worktree. It creates missing ones first, because only an existing path
// can be made read-only.
//
// A commit writes the worktree's own git folder (HEAD, index, its logs), objects, the loose ref of the branch with a lock beside it,
// and the branch's log. It does not write packs, other refs, packed refs, hooks or settings. Git creates the lock beside the ref, so
// the branch's folder must be writable; the other refs in it are made read-only one by one.
func GitOf(tree *git.Repo, branch string) (g Git, err error) {
	g = Git{Common: tree.CommonDir, Main: tree.MainFolder()}
	if !tree.Linked() {
		return g, fault.Validation("sandbox", "%q is not a linked worktree, and a sandbox is for those", tree.WorkTree).WithHint("make one with `agit spawn`")
	}
	if exists(filepath.Join(g.Common, "reftable")) {
		return g, fault.Validation("sandbox", "the repository %q keeps all refs in one table (reftable), so that a sandbox cannot keep other branches from being written", g.Main).
			WithHint("`git refs migrate --ref-format=files` in the repository keeps them in files")
	}
	m := maker{}
	objects, entry := filepath.Join(g.Common, "objects"), tree.GitDir
	g.Write = []string{objects, entry}
	g.Fixed = []string{m.folder(objects, "pack"), m.folder(objects, "info"), filepath.Join(entry, "commondir"), filepath.Join(entry, "gitdir"),
		m.file(entry, "config.worktree"), filepath.Join(tree.WorkTree, ".git")}
	g.Fixed = append(g.Fixed, m.folder(entry, "modules"))
	for _, module := range modules(filepath.Join(entry, "modules")) {
		g.Write = append(g.Write, module)
		g.Fixed = append(g.Fixed, filepath.Join(module, "config"), m.folder(module, "hooks"), m.folder(module, "info"), m.file(module, "config.worktree"))
	}
	if lfs := filepath.Join(g.Common, "lfs"); exists(lfs) {
		g.Write = append(g.Write, lfs)
	}
	folder := path.Dir(branch)
	heads := m.folder(g.Common, "refs", "heads", folder)
	g.Write = append(g.Write, heads, m.file(m.folder(g.Common, "logs", "refs", "heads", folder), path.Base(branch)))
	m.err = errors.Join(m.err, unpack(g.Common, heads, "refs/heads/"+strings.TrimPrefix(folder+"/", "./"), branch))
	entries, err := os.ReadDir(heads)
	m.err = errors.Join(m.err, err)
	for _, e := range entries {
		if name := e.Name(); name != path.Base(branch) && !strings.HasSuffix(name, ".lock") {
			g.Fixed = append(g.Fixed, filepath.Join(heads, name))
		}
	}
	if m.err != nil {
		return g, fault.Operation(m.err, "make the repository %q ready for a sandbox", g.Main)
	}
	return g, nil
}

// ReadOnly returns the paths of a repository for a gate in a checkout of it: git can read them and write none.
func ReadOnly(g *git.Repo, dir string) Git {
	return Git{Common: g.CommonDir, Main: g.MainFolder(), Fixed: []string{filepath.Join(dir, ".git")}}
}

// maker creates missing empty files and folders, and collects the errors.
type maker struct{ err error }

func (m *maker) folder(base string, names ...string) string {
	p := filepath.Join(append([]string{base}, names...)...)
	m.err = errors.Join(m.err, os.MkdirAll(p, 0o777))
	return p
}

func (m *maker) file(folder, name string) string {
	p := filepath.Join(folder, name)
	f, err := os.OpenFile(p, os.O_CREATE|os.O_RDONLY, 0o666)
	if err == nil {
		err = f.Close()
	}
	m.err = errors.Join(m.err, err)
	return p
}

// modules returns the git folders of a worktree's submodules.
func modules(folder string) (list []string) {
	_ = filepath.WalkDir(folder, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil //nolint:nilerr // one that cannot be read is not written either
		}
		if exists(filepath.Join(p, "HEAD")) && exists(filepath.Join(p, "config")) {
			list = append(list, p)
			return filepath.SkipDir
		}
		return nil
	})
	return list
}

// unpack writes the packed refs below a folder as loose refs, by git's own protocol: with a lock beside the ref, unless it is already
// loose. Otherwise a new loose ref could override a packed one.
func unpack(common, heads, prefix, branch string) error {
	packed, err := os.ReadFile(filepath.Join(common, "packed-refs"))
	if err != nil {
		return nil //nolint:nilerr // there are none
	}
	var failed error
	lines := bufio.NewScanner(bytes.NewReader(packed))
	for lines.Scan() {
		oid, ref, ok := strings.Cut(lines.Text(), " ")
		name, in := strings.CutPrefix(ref, prefix)
		if !ok || !in || !git.IsOID(oid) || ref == "refs/heads/"+branch {
			continue
		}
		failed = errors.Join(failed, loosen(filepath.Join(heads, filepath.FromSlash(name)), oid))
	}
	return errors.Join(failed, lines.Err())
}

func loosen(file, oid string) error {
	if exists(file) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	lock := file + ".lock"
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil // git is writing it
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(oid + "\n")
	err = errors.Join(err, f.Close())
	if err != nil || exists(file) {
		return errors.Join(err, os.Remove(lock))
	}
	return os.Rename(lock, file)
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}
