package postgres

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// numberedTexts keeps the results of Numbered: a program runs few different statements.
var numberedTexts sync.Map

// Numbered writes the parameters of a statement as PostgreSQL does, $1 and $2 in place
// of ?, outside of strings, quoted names and comments.
func Numbered(statement string) string {
	if !strings.Contains(statement, "?") {
		return statement
	}
	if known, ok := numberedTexts.Load(statement); ok {
		return known.(string)
	}
	made := number(statement)
	if len(statement) < longestKept {
		numberedTexts.Store(statement, made)
	}
	return made
}

// longestKept bounds the kept statements, in bytes: longer ones are lists of rows, whose lengths all differ.
const longestKept = 8 << 10

func number(statement string) string {
	n := 0
	return eachParameter(statement, func() string {
		n++
		return "$" + strconv.Itoa(n)
	})
}

// eachParameter replaces each parameter of a statement by what as returns.
func eachParameter(statement string, as func() string) string {
	var out strings.Builder
	out.Grow(len(statement) + 16)
	for i := 0; i < len(statement); i++ {
		c := statement[i]
		var end int // of a string, name or comment, which is copied as it is
		switch {
		case c == '?':
			out.WriteString(as())
			continue
		case c == '\'' || c == '"':
			end = strings.IndexByte(statement[i+1:], c)
		case strings.HasPrefix(statement[i:], "--"):
			end = strings.IndexByte(statement[i+1:], '\n')
		default:
			out.WriteByte(c)
			continue
		}
		if end < 0 {
			out.WriteString(statement[i:])
			break
		}
		out.WriteString(statement[i : i+end+2])
		i += end + 1
	}
	return out.String()
}

// PostgreSQL takes no NUL in a text, and no bytes that are not UTF-8; the names of
// folders may hold both. Each such byte b is stored as the character 10FF00+b of the
// second private plane, and each byte of a character of that range too, so that two
// texts are stored alike only where they are the same.
const (
	firstEscape = 0x10FF00
	lastEscape  = 0x10FFFF
)

// Escape returns the form in which a text is stored.
func Escape(s string) string {
	if clean(s) {
		return s
	}
	var out strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == 0 || r >= firstEscape || r == utf8.RuneError && size == 1 {
			for i := range size {
				out.WriteRune(firstEscape + rune(s[i]))
			}
		} else {
			out.WriteString(s[:size])
		}
		s = s[size:]
	}
	return out.String()
}

func clean(s string) bool {
	for i := range len(s) {
		if s[i] == 0 || s[i] >= 0xF4 { // the first byte of the highest plane, or none of UTF-8
			return false
		}
	}
	return utf8.ValidString(s)
}

// Unescape returns the text that Escape was given.
func Unescape(s string) string {
	if strings.IndexByte(s, 0xF4) < 0 {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if r >= firstEscape && r <= lastEscape {
			out.WriteByte(byte(r - firstEscape))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Quote writes a text as a literal of SQL.
func Quote(s string) string { return "'" + strings.ReplaceAll(Escape(s), "'", "''") + "'" }

// QuoteName writes the name of a table, a column, a schema or a role.
func QuoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// Expression is SQL that stands for an argument.
type Expression string

// Placed writes expressions among the arguments into a statement.
func Placed(statement string, args []any) (string, []any) {
	if !slices.ContainsFunc(args, func(a any) bool { _, is := a.(Expression); return is }) {
		return statement, args
	}
	var kept []any
	n := 0
	placed := eachParameter(statement, func() string {
		n++
		if n > len(args) {
			return "?"
		}
		if e, is := args[n-1].(Expression); is {
			return string(e)
		}
		kept = append(kept, args[n-1])
		return "?"
	})
	return placed, kept
}
