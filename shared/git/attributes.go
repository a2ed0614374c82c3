package git

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// AttributeFiles returns the .gitattributes files of a commit or tree, sorted by path. Links are left out: git does not follow them.
// o makes git find the objects.
func (r *Repo) AttributeFiles(ctx context.Context, o Options, tree string) ([]ListedFile, error) {
	out, err := r.Output(ctx, o, "ls-tree", "-r", "-z", "--full-tree", tree)
	if err != nil {
		return nil, Fault(err, "list the files of %.12s", tree)
	}
	files, err := ParseTreeList(out)
	if err != nil {
		return nil, fault.Operation(err, "list the files of %.12s", tree)
	}
	return slices.DeleteFunc(files, func(f ListedFile) bool {
		return path.Base(f.Path) != ".gitattributes" || f.Mode == ModeLink || f.Mode == ModeSubmodule
	}), nil
}

// attributeSourceMinor is the first minor version of git 2 whose merge-tree reads attributes from a tree (GIT_ATTR_SOURCE); 2.41 and 2.42
// have the setting but crash.
const attributeSourceMinor = 43

// Attributed returns options with which a git command in r, such as merge-tree, uses the .gitattributes files of a commit or tree instead
// of those in a working tree. The attributes of the user and of info/attributes stay in force. A git before 2.43 runs in a folder that
// holds only these files; done removes it. See gitattributes(5) and "--attr-source" in git(1).
func (r *Repo) Attributed(ctx context.Context, o Options, tree string) (with Options, done func(), err error) {
	v, err := CurrentVersion(ctx)
	if err != nil {
		return o, nil, err
	}
	if v.AtLeast(2, attributeSourceMinor) {
		o.Env = append(slices.Clone(o.Env), "GIT_ATTR_SOURCE="+tree)
		return o, func() {}, nil
	}
	return r.attributeFolder(ctx, o, tree)
}

// attributeFolder makes the folder of Attributed, which is a working tree for git.
func (r *Repo) attributeFolder(ctx context.Context, o Options, tree string) (with Options, done func(), err error) {
	read := Options{Env: slices.Clone(o.Env)}
	files, err := r.AttributeFiles(ctx, read, tree)
	if err != nil {
		return o, nil, err
	}
	dir, err := os.MkdirTemp("", "agit-attributes-")
	if err != nil {
		return o, nil, TempFault(err)
	}
	done = func() { os.RemoveAll(dir) }
	if err := r.writeBlobs(ctx, read, dir, files); err != nil {
		done()
		return o, nil, err
	}
	o.Dir = dir
	o.Env = append(read.Env, "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+dir)
	return o, done, nil
}

// TempFault returns the fault for a temporary folder that could not be made.
func TempFault(err error) *fault.Fault {
	return fault.Operation(err, "make a temporary folder").WithHint("make sure that %q exists and can be written, or set TMPDIR to a folder that can", os.TempDir())
}

// writeBlobs writes files into dir. A path that leads out of it is an error.
func (r *Repo) writeBlobs(ctx context.Context, o Options, dir string, files []ListedFile) error {
	if len(files) == 0 {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fault.Operation(err, "open the temporary folder %q", dir)
	}
	defer root.Close()
	for _, f := range files {
		content, err := r.Output(ctx, o, "cat-file", "blob", f.OID)
		if err != nil {
			return Fault(err, "read %q", f.Path)
		}
		name := filepath.FromSlash(f.Path)
		if strings.Contains(f.Path, "/") {
			err = root.MkdirAll(filepath.Dir(name), 0o700)
		}
		if err == nil {
			err = root.WriteFile(name, content, 0o600)
		}
		if err != nil {
			return fault.Operation(err, "write %q", filepath.Join(dir, name))
		}
	}
	return nil
}
