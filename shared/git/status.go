package git

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// StatusArgs returns the arguments for the output that ParseStatus reads, followed by further options: untracked files one by one,
// regardless of the user's status.* settings. git does not look into submodules, nor into folders made to look like one; Status does where
// that is safe.
func StatusArgs(more ...string) []string {
	return append([]string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty",
		"--find-renames"}, more...)
}

// StatusKind is the first character of a status line.
type StatusKind byte

// The kinds of status entry.
const (
	Changed   StatusKind = '1' // staged or unstaged change
	Renamed   StatusKind = '2' // renamed or copied
	Unmerged  StatusKind = 'u' // in conflict
	Untracked StatusKind = '?'
	Ignored   StatusKind = '!'
)

// StatusEntry is one path of `git status`.
type StatusEntry struct {
	Kind StatusKind
	// Index and Worktree are git's letters (M, A, D, R, C, T, U) for the change
	// between HEAD and index, and index and file; '.' is none.
	Index, Worktree byte
	// Submodule is git's four-character field: "N..." for an ordinary file,
	// "SCMU" with '.' for what does not apply (commit, modified, untracked).
	Submodule string
	// Path is relative to the root of the working tree, with slashes.
	Path string
	// OldPath is where a renamed or copied file was.
	OldPath string
	// HeadOID and IndexOID are blob names, zero or empty where there is none.
	HeadOID, IndexOID string
	// HeadMode, IndexMode and WorktreeMode are octal file modes, "000000" for none.
	HeadMode, IndexMode, WorktreeMode string
}

// Unstaged reports a difference between index and file.
func (e StatusEntry) Unstaged() bool { return e.Worktree != '.' && e.Worktree != 0 }

// InSubmodule reports uncommitted work inside a submodule. A submodule that only has another commit checked out is an ordinary change,
// which a commit keeps.
func (e StatusEntry) InSubmodule() bool {
	return len(e.Submodule) == 4 && e.Submodule[0] == 'S' && (e.Submodule[2] == 'M' || e.Submodule[3] == 'U')
}

// ParseStatus reads `git status --porcelain=v2 -z`. Header lines are passed over.
func ParseStatus(out []byte) ([]StatusEntry, error) {
	var entries []StatusEntry
	records := Records(out)
	for i := 0; i < len(records); i++ {
		record := records[i]
		if record == "" {
			return nil, fmt.Errorf("git status: empty record")
		}
		e := StatusEntry{Kind: StatusKind(record[0])}
		var fields int
		var path string
		switch e.Kind {
		case '#':
			continue
		case Untracked, Ignored:
			var ok bool
			if path, ok = strings.CutPrefix(record[1:], " "); !ok || path == "" {
				return nil, fmt.Errorf("git status: malformed record %q", record)
			}
			e.Path = path
			entries = append(entries, e)
			continue
		case Changed:
			fields = 8
		case Renamed:
			fields = 9
		case Unmerged:
			fields = 10
		default:
			return nil, fmt.Errorf("git status: unknown record %q", record)
		}
		part := strings.SplitN(record, " ", fields+1)
		if len(part) != fields+1 || len(part[0]) != 1 || len(part[1]) != 2 || part[fields] == "" {
			return nil, fmt.Errorf("git status: malformed record %q", record)
		}
		e.Index, e.Worktree, e.Submodule, e.Path = part[1][0], part[1][1], part[2], part[fields]
		e.HeadMode, e.IndexMode = part[3], part[4]
		if e.Kind == Unmerged {
			e.WorktreeMode = part[6]
		} else {
			e.WorktreeMode, e.HeadOID, e.IndexOID = part[5], part[6], part[7]
		}
		if e.Kind == Renamed {
			i++
			if i == len(records) || records[i] == "" {
				return nil, fmt.Errorf("git status: %q lacks its old path", record)
			}
			e.OldPath = records[i]
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Change is one path of a comparison.
type Change struct {
	// Status is git's letter: A, C, D, M, R, T, U or X.
	Status byte
	// Score is the similarity of a rename or copy in per cent.
	Score int
	// Path is where the file is now, OldPath where a rename or copy came from.
	Path, OldPath string
}

// ParseNameStatus reads `git diff --name-status -z`.
func ParseNameStatus(out []byte) ([]Change, error) {
	var changes []Change
	records := Records(out)
	for i := 0; i < len(records); {
		status := records[i]
		if status == "" || status[0] < 'A' || status[0] > 'Z' {
			return nil, fmt.Errorf("git diff: malformed status %q", status)
		}
		c, paths, err := parseChange(status, records[i:])
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
		i += paths + 1
	}
	return changes, nil
}

// parseChange reads git's letter, with the similarity of a rename or copy, and the paths that follow the first record: two for a rename or
// copy, else one.
func parseChange(status string, records []string) (c Change, paths int, err error) {
	c.Status = status[0]
	if len(status) > 1 {
		score, err := strconv.ParseUint(status[1:], 10, 7)
		if err != nil || score > 100 {
			return c, 0, fmt.Errorf("git diff: malformed status %.80q", records[0])
		}
		c.Score = int(score)
	}
	paths = 1
	if c.Status == 'R' || c.Status == 'C' {
		paths = 2
	}
	if paths >= len(records) {
		return c, 0, fmt.Errorf("git diff: %.80q lacks its path", records[0])
	}
	c.Path = records[paths]
	if paths == 2 {
		c.OldPath = records[1]
	}
	if c.Path == "" || paths == 2 && c.OldPath == "" {
		return c, 0, fmt.Errorf("git diff: %.80q has an empty path", records[0])
	}
	return c, paths, nil
}

// Records returns the records of NUL-terminated output (-z).
func Records(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
}

// RawChange is one file of a comparison of two trees.
type RawChange struct {
	Change
	// OldMode and Mode are octal, OldOID and OID blobs; zeros where there is none.
	OldMode, Mode, OldOID, OID string
}

// ParseRawChanges reads `git diff-tree -r -z --raw --no-abbrev`.
func ParseRawChanges(out []byte) ([]RawChange, error) {
	var changes []RawChange
	records := Records(out)
	for i := 0; i < len(records); {
		field := strings.Fields(records[i])
		if len(field) != 5 || !strings.HasPrefix(field[0], ":") || !IsOID(field[2]) || !IsOID(field[3]) {
			return nil, fmt.Errorf("git diff: malformed record %.80q", records[i])
		}
		c := RawChange{OldMode: field[0][1:], Mode: field[1], OldOID: field[2], OID: field[3]}
		var paths int
		var err error
		if c.Change, paths, err = parseChange(field[4], records[i:]); err != nil {
			return nil, err
		}
		changes = append(changes, c)
		i += paths + 1
	}
	return changes, nil
}

// ZeroName reports whether the object name means "does not exist".
func ZeroName(oid string) bool { return strings.Trim(oid, "0") == "" }
