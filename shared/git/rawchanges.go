package git

import (
	"fmt"
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
