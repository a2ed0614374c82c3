package git

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// FileHunks are the changed line ranges of one file.
type FileHunks struct {
	Path   string
	Binary bool
	Hunks  []Hunk
}

// Hunk is one changed range. Lines count from 1; a range of no lines lies after
// line Start.
type Hunk struct{ OldStart, OldLines, NewStart, NewLines int }

// ParseHunks reads a diff without context or renames and with git's own prefixes, a/ and b/,
// which the user's settings may replace: ask for --unified=0, --inter-hunk-context=0,
// --no-renames, --src-prefix=a/ and --dst-prefix=b/.
func ParseHunks(out []byte) ([]FileHunks, error) {
	var files []FileHunks
	var file *FileHunks
	for len(out) > 0 {
		line := cutLine(&out)
		if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
			path, err := unquote(rest[:len(rest)/2]) // a/PATH b/PATH, or both quoted
			if err != nil {
				return nil, err
			}
			files = append(files, FileHunks{Path: strings.TrimPrefix(path, "a/")})
			file = &files[len(files)-1]
			continue
		}
		if file == nil {
			return nil, fmt.Errorf("git diff: %.80q before a file", line)
		}
		if !strings.HasPrefix(line, "@@ ") {
			file.Binary = file.Binary || strings.HasPrefix(line, "Binary files ") || line == "GIT binary patch"
			continue
		}
		hunk, err := parseHunk(line)
		if err != nil {
			return nil, err
		}
		file.Hunks = append(file.Hunks, hunk)
		if err := skipBody(&out, hunk); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func cutLine(out *[]byte) string {
	line, rest, _ := bytes.Cut(*out, []byte{'\n'})
	*out = rest
	return string(line)
}

// skipBody skips the lines of a hunk, which may look like headers.
func skipBody(out *[]byte, h Hunk) error {
	for n := h.OldLines + h.NewLines; n > 0; n-- {
		if len(*out) == 0 {
			return fmt.Errorf("git diff: cut short in a hunk")
		}
		switch c := (*out)[0]; c {
		case '+', '-', ' ':
		case '\\':
			n++ // "\ No newline at end of file" counts for nothing
		default:
			return fmt.Errorf("git diff: unexpected %q in a hunk", c)
		}
		cutLine(out)
	}
	if len(*out) > 0 && (*out)[0] == '\\' {
		cutLine(out)
	}
	return nil
}

// parseHunk reads "@@ -3,2 +4 @@ text".
func parseHunk(line string) (h Hunk, err error) {
	fields := strings.SplitN(line, " ", 5)
	if len(fields) < 4 || fields[3] != "@@" || fields[1] == "" || fields[2] == "" || fields[1][0] != '-' || fields[2][0] != '+' {
		return h, fmt.Errorf("git diff: malformed hunk %.80q", line)
	}
	if h.OldStart, h.OldLines, err = parseRange(fields[1][1:]); err == nil {
		h.NewStart, h.NewLines, err = parseRange(fields[2][1:])
	}
	if err != nil {
		return h, fmt.Errorf("git diff: malformed hunk %.80q", line)
	}
	return h, nil
}

func parseRange(s string) (start, lines int, err error) {
	first, count, ok := strings.Cut(s, ",")
	lines = 1
	if start, err = number(first); err == nil && ok {
		lines, err = number(count)
	}
	return start, lines, err
}

// number reads a non-negative count; line numbers of 32 bits are git's own limit.
func number(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err
}

// unquote undoes git's C-style quoting of unusual names.
func unquote(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	if len(s) < 2 || !strings.HasSuffix(s, `"`) {
		return "", fmt.Errorf("git: unfinished quote in %.80q", s)
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", fmt.Errorf("git: bad escape in %.80q", s)
		}
		if at := strings.IndexByte(`abtnvfr"\`, s[i]); at >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r\"\\"[at])
			continue
		}
		if i+3 > len(s) {
			return "", fmt.Errorf("git: bad escape in %.80q", s)
		}
		code, err := strconv.ParseUint(s[i:i+3], 8, 8)
		if err != nil {
			return "", fmt.Errorf("git: bad escape in %.80q", s)
		}
		b.WriteByte(byte(code))
		i += 2
	}
	return b.String(), nil
}
