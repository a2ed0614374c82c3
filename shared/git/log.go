package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

// Deletion is a commit that removed a path.
type Deletion struct{ Commit, Parent, Path string }

// DeletionArgs are the arguments whose output ParseDeletions reads: at most
// count commits, newest first, that removed one of the paths which follow. A
// rename is the removal of the old name.
func DeletionArgs(count int) []string {
	return []string{"-c", "log.follow=false", "-c", "log.showSignature=false", "--literal-pathspecs", "log", "--format=commit %H %P", "--no-renames", "--diff-filter=D", "--name-only",
		"--no-ext-diff", "--max-count=" + strconv.Itoa(count)}
}

// ParseDeletions reads `git log` as DeletionArgs asks for it.
func ParseDeletions(out []byte) ([]Deletion, error) {
	var deletions []Deletion
	var d Deletion
	for len(out) > 0 {
		line := cutLine(&out)
		if line == "" {
			continue
		}
		if head, ok := strings.CutPrefix(line, "commit "); ok {
			if oids := strings.Fields(head); len(oids) > 0 && IsOID(oids[0]) {
				d = Deletion{Commit: oids[0]}
				if len(oids) > 1 {
					d.Parent = oids[1]
				}
				continue
			}
		}
		if d.Commit == "" {
			return nil, fmt.Errorf("git log: %.80q before a commit", line)
		}
		var err error
		if d.Path, err = unquote(line); err != nil {
			return nil, err
		}
		deletions = append(deletions, d)
	}
	return deletions, nil
}

// Shallow reports whether the repository holds only a part of its history.
func (r *Repo) Shallow() bool {
	info, err := os.Stat(filepath.Join(r.CommonDir, "shallow"))
	return err == nil && info.Size() > 0
}
