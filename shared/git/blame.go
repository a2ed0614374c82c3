package git

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// BlamedLine says which commit a line of a file comes from.
type BlamedLine struct {
	OID string // all zeros when it is not committed
	// Line is its number now, from 1.
	Line int
	// Boundary says that history ends at OID: the line may be older.
	Boundary bool
}

// Committed reports whether the line is in a commit at all.
func (b BlamedLine) Committed() bool { return strings.Trim(b.OID, "0") != "" }

// BlameArgs are the arguments whose output ParseBlame reads: who last touched
// these lines of path, in the working tree or, if rev is not empty, there. White
// space alone, a line end that the last line got among it, is no touch.
func BlameArgs(rev, path string, lines []int) []string {
	args := []string{"-c", "blame.ignoreRevsFile=", "blame", "-w", "--porcelain", "--no-progress"}
	for _, line := range lines {
		args = append(args, "-L", fmt.Sprintf("%d,%d", line, line))
	}
	if rev != "" {
		args = append(args, rev)
	}
	return append(args, "--", path)
}

// ParseBlame reads `git blame --porcelain`.
func ParseBlame(out []byte) ([]BlamedLine, error) {
	var lines []BlamedLine
	boundary := map[string]bool{}
	for len(out) > 0 {
		head := cutLine(&out)
		field := strings.Split(head, " ")
		if len(field) < 3 || !IsOID(field[0]) {
			return nil, fmt.Errorf("git blame: unexpected %.80q", head)
		}
		number, err := strconv.ParseUint(field[2], 10, 31)
		if err != nil || number == 0 {
			return nil, fmt.Errorf("git blame: unexpected %.80q", head)
		}
		for {
			if len(out) == 0 {
				return nil, fmt.Errorf("git blame: cut short after %.80q", head)
			}
			if out[0] == '\t' {
				_, out, _ = bytes.Cut(out, []byte{'\n'})
				break
			}
			if cutLine(&out) == "boundary" {
				boundary[field[0]] = true
			}
		}
		lines = append(lines, BlamedLine{OID: field[0], Line: int(number), Boundary: boundary[field[0]]})
	}
	return lines, nil
}
