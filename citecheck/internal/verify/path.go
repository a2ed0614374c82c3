package verify

import (
	"path"
	"runtime"
	"strings"
	"unicode"
)

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
