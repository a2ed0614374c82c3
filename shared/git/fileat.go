package git

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
)

// ErrLeadsOut reports that a file of a commit is a link that leads out of the commit, or nowhere.
var ErrLeadsOut = errors.New("it is a link that leads out of the commit")

// maxLinks bounds how many links lead to a file.
const maxLinks = 8

// Committed reads files of one commit. git lists its names once, and each content is read once, however often they are asked for. It is safe
// for concurrent use.
type Committed struct {
	repo   *Repo
	commit string // an object's name, since what a branch points at changes
	names  []string

	mu     sync.Mutex
	listed map[string]committedFile // nil until git listed them
}

// committedFile is an entry of a commit's tree, the zero one for a name that the commit lacks. Its content is nil until it is read.
type committedFile struct {
	ListedFile
	content []byte
}

// Committed returns a reader of the files with these names, none of which may be inside another.
func (r *Repo) Committed(commit string, names ...string) *Committed {
	return &Committed{repo: r, commit: commit, names: names}
}

// File returns the content of a file, or nil if it does not exist. Links are followed inside the commit; for other links, and
// for anything that is not a file, it returns ErrLeadsOut.
func (c *Committed) File(ctx context.Context, name string) ([]byte, error) {
	if !slices.Contains(c.names, name) {
		return FileAt(ctx, c.repo, c.commit, name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listed == nil {
		listed, err := c.repo.list(ctx, c.commit, c.names)
		if err != nil {
			return nil, err
		}
		c.listed = listed
	}
	listed := c.listed
	for range maxLinks {
		f := listed[name]
		content, err := c.repo.contentOf(ctx, &f)
		listed[name] = f
		if err != nil || f.Mode != ModeLink {
			return content, err
		}
		target := path.Join(path.Dir(name), string(content))
		if path.IsAbs(string(content)) || target == ".." || strings.HasPrefix(target, "../") {
			return nil, ErrLeadsOut
		}
		if listed, err = c.repo.list(ctx, c.commit, []string{target}); err != nil {
			return nil, err
		}
		name = target
	}
	return nil, ErrLeadsOut
}

// list returns the entries of a commit by their names.
func (r *Repo) list(ctx context.Context, commit string, names []string) (map[string]committedFile, error) {
	out, err := r.Output(ctx, Options{Env: []string{"GIT_LITERAL_PATHSPECS=1"}}, append([]string{"ls-tree", "-z", "--full-tree", commit, "--"}, names...)...)
	if err != nil {
		return nil, err
	}
	listed, err := ParseTreeList(out)
	files := map[string]committedFile{}
	for _, f := range listed {
		files[f.Path] = committedFile{ListedFile: f}
	}
	return files, err
}

// contentOf returns the content of an entry, nil for none.
func (r *Repo) contentOf(ctx context.Context, f *committedFile) (content []byte, err error) {
	switch {
	case f.OID == "" || f.content != nil:
		return f.content, nil
	case f.Mode == modeFolder || f.Mode == ModeSubmodule:
		return nil, ErrLeadsOut
	}
	if content, err = r.Output(ctx, Options{}, "cat-file", "blob", f.OID); err != nil {
		return nil, err
	}
	if f.content = content; content == nil {
		f.content = []byte{}
	}
	return f.content, nil
}

// FileAt is Committed.File for a single file; commit may also be a branch.
func FileAt(ctx context.Context, r *Repo, commit, name string) ([]byte, error) {
	return r.Committed(commit, name).File(ctx, name)
}
