package git

import (
	"fmt"
	"strconv"
	"strings"
)

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
		c.Status = field[4][0]
		if len(field[4]) > 1 {
			score, err := strconv.ParseUint(field[4][1:], 10, 7)
			if err != nil || score > 100 {
				return nil, fmt.Errorf("git diff: malformed record %.80q", records[i])
			}
			c.Score = int(score)
		}
		paths := 1
		if c.Status == 'R' || c.Status == 'C' {
			paths = 2
		}
		if i+paths >= len(records) {
			return nil, fmt.Errorf("git diff: %.80q lacks its path", records[i])
		}
		c.Path = records[i+paths]
		if paths == 2 {
			c.OldPath = records[i+1]
		}
		if c.Path == "" || paths == 2 && c.OldPath == "" {
			return nil, fmt.Errorf("git diff: %.80q has an empty path", records[i])
		}
		changes = append(changes, c)
		i += paths + 1
	}
	return changes, nil
}

// ZeroName reports whether the object name means "does not exist".
func ZeroName(oid string) bool { return strings.Trim(oid, "0") == "" }
