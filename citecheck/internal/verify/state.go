package verify

import (
	"bytes"
	"context"
	"path"
	"runtime"
	"strings"
	"unicode"
)

// state is the code at one point: the working tree, the index or a commit. Paths are cleaned (see clean). Safe for concurrent use.
type state interface {
	// read returns the file at path.
	read(ctx context.Context, path string) (content, error)
	// files lists all files.
	files(ctx context.Context) ([]string, error)
}

// content is the content at a path.
type content struct {
	is   condition
	data []byte
	why  string // why it cannot be read, as a clause that follows the path
}

// condition is whether a path can be read, or why not.
type condition int

const (
	present    condition = iota
	absent               // it does not exist
	folder               // it is a folder
	escaping             // a symbolic link leads out of the repository
	unreadable           // submodule, too large, no permission, no ordinary file
)

// maxFile is the size in bytes from which a file is not read.
const maxFile = 64 << 20

// maxListed bounds how many files are listed without git.
const maxListed = 200_000

// clean returns p below prefix as git writes paths: relative to the top of the repository, with slashes and without dots. When ok is false,
// the path leaves the repository or enters git's own folder, and must not be read; why has the reason.
func clean(prefix, p string) (cleaned, why string, ok bool) {
	switch {
	case strings.ContainsRune(p, 0):
		return "", "the path holds a NUL byte", false
	case strings.HasPrefix(p, "/") || len(p) >= 2 && p[1] == ':' && unicode.IsLetter(rune(p[0])):
		return "", "the path is absolute", false
	case runtime.GOOS == "windows" && strings.ContainsRune(p, ':'):
		return "", "the path names a stream of a file", false
	}
	cleaned = path.Join(prefix, p)
	if cleaned == ".." || strings.HasPrefix(cleaned, "../") {
		return "", "the path leaves the repository", false
	}
	for part := range strings.SplitSeq(cleaned, "/") {
		if gitFolder(part) {
			return "", "the path leads into git's own folder", false
		}
	}
	return cleaned, "", true
}

// gitFolder reports whether some file system takes name for ".git": in other
// case, with characters that it ignores, by its short name, as a stream.
func gitFolder(name string) bool {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, " .")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// within reports whether the real path p is root or below it.
func within(root, p string) bool {
	rest, ok := strings.CutPrefix(p, root)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '\\' || strings.HasSuffix(root, "/"))
}

// lfsPointer reports whether a file is a pointer to one in Git LFS, as in a checkout without git-lfs (its "Specification", docs/spec.md:
// under 1024 bytes, the version first, then keys in order).
func lfsPointer(data []byte) bool {
	return len(data) < 1024 && bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")) &&
		bytes.Contains(data, []byte("\noid ")) && bytes.Contains(data, []byte("\nsize "))
}
