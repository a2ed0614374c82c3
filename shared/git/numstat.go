package git

import (
	"fmt"
	"strconv"
	"strings"
)

// ChangedLines is how much of one file is changed.
type ChangedLines struct {
	Path       string
	OldPath    string // of a renamed one
	Insertions int
	Deletions  int
	Binary     bool // its lines are not counted
}

// ParseNumstat reads `git diff --numstat -z`: a renamed file has its two paths in records of their own.
func ParseNumstat(out []byte) ([]ChangedLines, error) {
	var files []ChangedLines
	records := Records(out)
	for i := 0; i < len(records); i++ {
		malformed := fmt.Errorf("git diff --numstat: malformed record %.80q", records[i])
		fields := strings.SplitN(records[i], "\t", 3)
		if len(fields) != 3 {
			return nil, malformed
		}
		f := ChangedLines{Path: fields[2], Binary: fields[0] == "-" && fields[1] == "-"}
		if !f.Binary {
			added, err := strconv.ParseUint(fields[0], 10, 31)
			deleted, err2 := strconv.ParseUint(fields[1], 10, 31)
			if err != nil || err2 != nil {
				return nil, malformed
			}
			f.Insertions, f.Deletions = int(added), int(deleted)
		}
		if f.Path == "" {
			if i+2 >= len(records) {
				return nil, malformed
			}
			f.OldPath, f.Path = records[i+1], records[i+2]
			i += 2
		}
		if f.Path == "" {
			return nil, malformed
		}
		files = append(files, f)
	}
	return files, nil
}
