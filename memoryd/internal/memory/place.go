package memory

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/reference"
)

// Cited parses a place as people write it: path, path:12, path:12-20, path:12:5 (the column is ignored), path#L12-L20, and path:12:text
// with the text there. Of a range the first line is cited. Anything else is a path.
func Cited(given string) Citation {
	for at := range len(given) {
		if at == 0 || given[at] != ':' && !strings.HasPrefix(given[at:], "#L") {
			continue
		}
		f, ok := reference.After([]byte(given[at:]))
		rest := ""
		if ok {
			rest = given[at+f.Stop:]
		}
		switch {
		case ok && rest == "":
			return Citation{Path: given[:at], Line: f.Line}
		case ok && rest[0] == ':':
			return Citation{Path: given[:at], Line: f.Line, Snippet: rest[1:]}
		}
		number, snippet, more := strings.Cut(given[at+1:], ":") // path:3:5 apples
		if line, err := strconv.Atoi(number); given[at] == ':' && more && err == nil && line > 0 {
			return Citation{Path: given[:at], Line: line, Snippet: snippet}
		}
	}
	return Citation{Path: given}
}

// fromRoot makes a cited path relative to a project's root when it is relative to a folder within the project, or absolute and inside. root
// and folder must be real paths.
func fromRoot(root, folder, given string) string {
	name := filepath.FromSlash(strings.ReplaceAll(given, `\`, "/"))
	if given == "" || !filepath.IsAbs(name) && !strings.HasPrefix(name, "..") && (folder == root || exists(filepath.Join(root, name))) {
		return given
	}
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(folder, name)
		if !strings.HasPrefix(name, "..") && !exists(full) {
			return given
		}
	}
	for _, at := range []string{filepath.Clean(full), real(full)} {
		if inside, err := filepath.Rel(root, at); err == nil && inside != "." && filepath.IsLocal(inside) {
			return filepath.ToSlash(inside)
		}
	}
	return given
}

// realPath returns a folder without symbolic links, as far as it can be read.
func realPath(folder string) string {
	full, err := filepath.Abs(folder)
	if err != nil {
		return folder
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		return real
	}
	return full
}

// real returns a path whose folder is free of symbolic links; the file itself may be one.
func real(full string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(full))
	if err != nil {
		return full
	}
	return filepath.Join(dir, filepath.Base(full))
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
