package git

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// BlamedLine is a line of a file with the commit it comes from.
type BlamedLine struct {
	OID string // all zeros when it is not committed
	// Line is its number now, from 1.
	Line int
	// Boundary is set when history ends at OID: the line may be older.
	Boundary bool
	// Path and Origin are the file and the line's number there in OID.
	Path   string
	Origin int
	// Previous is the commit before OID that had the file, at PreviousPath; "" when
	// OID made it.
	Previous, PreviousPath string
}

// Committed reports whether the line is in a commit at all.
func (b BlamedLine) Committed() bool { return strings.Trim(b.OID, "0") != "" }

// BlameArgs returns the arguments whose output ParseBlame reads: who last changed these lines of path, in the working tree or, if rev is
// not empty, there. White space alone is not a change, nor is a line end that the last line got.
func BlameArgs(rev, path string, lines []int) []string {
	args := []string{"-c", "blame.ignoreRevsFile=", "blame", "-w", "--porcelain", "--no-progress", "--no-textconv"}
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
	commits := map[string]BlamedLine{} // the commits' fields, which git prints once
	for len(out) > 0 {
		head := cutLine(&out)
		field := strings.Split(head, " ")
		if len(field) < 3 || !IsOID(field[0]) {
			return nil, fmt.Errorf("git blame: unexpected %.80q", head)
		}
		origin, originErr := lineNumber(field[1])
		number, numberErr := lineNumber(field[2])
		if originErr != nil || numberErr != nil {
			return nil, fmt.Errorf("git blame: unexpected %.80q", head)
		}
		of := commits[field[0]]
		for {
			if len(out) == 0 {
				return nil, fmt.Errorf("git blame: cut short after %.80q", head)
			}
			if out[0] == '\t' {
				_, out, _ = bytes.Cut(out, []byte{'\n'})
				break
			}
			if err := of.told(cutLine(&out)); err != nil {
				return nil, err
			}
		}
		of.OID = field[0]
		commits[of.OID] = of
		of.Line, of.Origin = number, origin
		lines = append(lines, of)
	}
	return lines, nil
}

func lineNumber(field string) (int, error) {
	n, err := strconv.ParseUint(field, 10, 31)
	if err == nil && n == 0 {
		err = strconv.ErrRange
	}
	return int(n), err
}

// told reads a line of git's fields for a commit.
func (b *BlamedLine) told(line string) (err error) {
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "boundary":
		b.Boundary = true
	case "filename":
		b.Path, err = unquote(value)
	case "previous":
		var path string
		if b.Previous, path, _ = strings.Cut(value, " "); !IsOID(b.Previous) {
			return fmt.Errorf("git blame: unexpected %.80q", line)
		}
		b.PreviousPath, err = unquote(path)
	}
	return err
}
