package git

import (
	"fmt"
	"strings"
)

// FileVersion is a commit's change of one file.
type FileVersion struct {
	Commit string
	Path   string
	// Old and New are the blobs before and after, zeros where there is none.
	Old, New string
}

// VersionArgs are the arguments whose output ParseVersions reads: the changes
// of the paths that follow, along first parents, newest first.
func VersionArgs() []string {
	return []string{"-c", "log.follow=false", "-c", "log.showSignature=false", "--literal-pathspecs", "log", "--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames",
		"--format=commit %H", "--ignore-submodules=all", "--no-ext-diff"}
}

// ParseVersions reads `git log --raw` as VersionArgs asks for it.
func ParseVersions(out []byte) ([]FileVersion, error) {
	var versions []FileVersion
	commit := ""
	for len(out) > 0 {
		line := cutLine(&out)
		if line == "" {
			continue
		}
		if oid, ok := strings.CutPrefix(line, "commit "); ok && IsOID(oid) {
			commit = oid
			continue
		}
		head, quoted, ok := strings.Cut(line, "\t")
		field := strings.Fields(head)
		if !ok || commit == "" || len(field) != 5 || !strings.HasPrefix(field[0], ":") || !IsOID(field[2]) || !IsOID(field[3]) {
			return nil, fmt.Errorf("git log: unexpected %.80q", line)
		}
		path, err := unquote(quoted)
		if err != nil {
			return nil, err
		}
		versions = append(versions, FileVersion{Commit: commit, Path: path, Old: field[2], New: field[3]})
	}
	return versions, nil
}
