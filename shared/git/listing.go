package git

import (
	"context"
	"fmt"
	"strings"
)

// ListedFile is a path of the index or of a tree.
type ListedFile struct {
	Path string
	Mode string // octal: 100644, 100755, 120000 (symbolic link), 160000 (submodule)
	OID  string
	// Stage is 0, or 1 to 3 for the sides of an unmerged path.
	Stage byte
	// Skipped reports that a sparse checkout leaves the file out of the working tree.
	Skipped bool
}

// The modes of what is not an ordinary file.
const (
	ModeLink      = "120000"
	ModeSubmodule = "160000"
	modeFolder    = "040000" // listed only where git does not look inside
)

// ListIndexArgs are the arguments whose output ParseIndexList reads.
func ListIndexArgs(paths ...string) []string {
	return append([]string{"--literal-pathspecs", "ls-files", "-t", "-s", "-z", "--full-name", "--"}, paths...)
}

// ParseIndexList reads `git ls-files -t -s -z`.
func ParseIndexList(out []byte) ([]ListedFile, error) {
	var files []ListedFile
	for _, record := range Records(out) {
		head, path, ok := strings.Cut(record, "\t")
		field := strings.Split(head, " ")
		if !ok || path == "" || len(field) != 4 || len(field[0]) != 1 || !IsOID(field[2]) || len(field[3]) != 1 {
			return nil, fmt.Errorf("git ls-files: malformed record %.80q", record)
		}
		files = append(files, ListedFile{Path: path, Mode: field[1], OID: field[2], Stage: field[3][0] - '0',
			Skipped: field[0] == "S"})
	}
	return files, nil
}

// Submodules returns those of the paths that are submodules in a commit.
func (r *Repo) Submodules(ctx context.Context, commit string, paths []string) (modules []string, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := append([]string{"--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--"}, paths...)
	out, err := r.Output(ctx, Options{}, args...)
	if err != nil {
		return nil, Fault(err, "look for submodules in %.12s", commit)
	}
	files, err := ParseTreeList(out)
	for _, f := range files {
		if f.Mode == ModeSubmodule {
			modules = append(modules, f.Path)
		}
	}
	return modules, err
}

// ParseTreeList reads `git ls-tree -r -z`.
func ParseTreeList(out []byte) ([]ListedFile, error) {
	var files []ListedFile
	for _, record := range Records(out) {
		head, path, ok := strings.Cut(record, "\t")
		field := strings.Split(head, " ")
		if !ok || path == "" || len(field) != 3 || !IsOID(field[2]) {
			return nil, fmt.Errorf("git ls-tree: malformed record %.80q", record)
		}
		files = append(files, ListedFile{Path: path, Mode: field[0], OID: field[2]})
	}
	return files, nil
}
