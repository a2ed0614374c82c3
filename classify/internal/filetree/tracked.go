package filetree

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gitindex"
)

// tracked is the set of files that git tracks although a rule ignores them. The index is read when the first rule matches; in most projects
// that is for a folder without tracked files. A split, sparse or broken index counts as empty.
type tracked struct {
	repo  *git.Repo
	index *gitindex.Index
}

// maxIndex bounds the part of an index that is read, in bytes: a million files take 100 MB.
const maxIndex = 200 << 20

func (t *tracked) load() *gitindex.Index {
	if t.index != nil {
		return t.index
	}
	t.index = &gitindex.Index{}
	if t.repo == nil {
		return t.index
	}
	path := filepath.Join(t.repo.GitDir, "index")
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return t.index
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return t.index
	}
	hash := 20
	if config, err := t.repo.Config(); err == nil {
		if format, ok := config.Get("extensions.objectformat"); ok && strings.EqualFold(format, "sha256") {
			hash = 32
		}
	}
	if index, err := gitindex.Parse(text, hash); err == nil {
		t.index = index
	}
	return t.index
}

// file reports whether git tracks the file of the repository.
func (t *tracked) file(full string) bool {
	_, ok := t.load().Find(full)
	return ok
}

// below reports whether git tracks any file in the folder of the repository.
func (t *tracked) below(full string) bool { return t.load().Below(full + "/") }
