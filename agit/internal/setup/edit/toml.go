package edit

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A Table is one table of a TOML file.
type Table struct {
	Path  []string // its name, in parts
	Value Object   // of strings, numbers, booleans and lists of strings
}

// header is the table's first line. Parts are bare keys.
func (t Table) header() string { return "[" + strings.Join(t.Path, ".") + "]" }

// ParseTOML decodes a text. The error names the line at which the text is wrong.
func ParseTOML(text string) (map[string]any, error) {
	text = strings.TrimPrefix(text, bom)
	if err := readable(text); err != nil {
		return nil, err
	}
	out := map[string]any{}
	err := toml.Unmarshal([]byte(text), &out)
	var where *toml.DecodeError
	if errors.As(err, &where) {
		row, column := where.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(where.Error(), "toml: "))
	}
	return out, err
}

// GetTOML returns the value below the given names.
func GetTOML(doc map[string]any, path ...string) (any, bool) {
	var at any = doc
	for _, name := range path {
		table, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = table[name]; !ok {
			return nil, false
		}
	}
	return at, true
}

// PutTOML returns the text with the table at its end, and what was added. The table must not exist yet.
func PutTOML(text string, t Table) (string, Added, error) {
	was, err := ParseTOML(text)
	if err != nil {
		return "", Added{}, err
	}
	if _, found := GetTOML(was, t.Path...); found {
		return "", Added{}, fmt.Errorf("%w: it is in the file already", ErrChanged)
	}
	out := tableText(text, t)
	after := text + out
	if err := verifyTOML(after, text, t.Path); err != nil {
		return "", Added{}, err
	}
	return after, Added{Text: out}, nil
}

// tableText returns a table as it is appended to a text.
func tableText(text string, t Table) string {
	eol := lineEnd(text)
	var out strings.Builder
	switch bare := strings.TrimPrefix(text, bom); {
	case bare == "":
	case !strings.HasSuffix(bare, "\n"):
		out.WriteString(eol + eol)
	default:
		out.WriteString(eol)
	}
	out.WriteString(t.header() + eol)
	l := layout{unit: " ", eol: eol, flat: true}
	for _, m := range t.Value {
		out.WriteString(m.Key + " = ")
		l.write(&out, m.Value, "")
		out.WriteString(eol)
	}
	return out.String()
}

// TakeTOML returns the text without the table and its subtables; it returns the text unchanged when the table is not in it. added is what
// PutTOML returned. The comments above the next table stay. A table in another form, inline or with dotted keys, is an error.
func TakeTOML(text string, t Table, added Added) (string, error) {
	was, err := ParseTOML(text)
	if err != nil {
		return "", err
	}
	if _, found := GetTOML(was, t.Path...); !found {
		return text, nil
	}
	after := text
	if at := strings.LastIndex(text, added.Text); added.Text != "" && at >= 0 {
		after = text[:at] + text[at+len(added.Text):]
		if len(added.Keys) > 0 && without(was, after, t.Path, added.Keys) {
			return after, nil
		}
	}
	if after == text || verifyTOML(text, after, t.Path) != nil {
		after = cutTables(text, t.Path)
	}
	if err := verifyTOML(text, after, t.Path); err != nil {
		return "", err
	}
	return after, nil
}

// without reports whether a text equals a document without some keys of one table.
func without(was map[string]any, after string, path, keys []string) bool {
	is, err := ParseTOML(after)
	if err != nil {
		return false
	}
	old, _ := GetTOML(was, path...)
	table, _ := old.(map[string]any)
	want := maps.Clone(table)
	for _, key := range keys {
		delete(want, key)
	}
	left, _ := GetTOML(is, path...)
	e := Entry{Path: path[:len(path)-1], Key: path[len(path)-1]}
	return reflect.DeepEqual(left, any(want)) && reflect.DeepEqual(drop(any(was), e, e.Path), drop(any(is), e, e.Path))
}

// cutTables takes out the sections of a table and its subtables, from their headers to the comments of the next table.
func cutTables(text string, path []string) string {
	lead := len(text) - len(strings.TrimPrefix(text, bom))
	type section struct {
		start int
		ours  bool
	}
	var all []section
	eachExpression(text, func(e *unstable.Node, name []string, start int) {
		if e.Kind == unstable.KeyValue {
			return
		}
		start = strings.LastIndexByte(text[:start], '\n') + 1
		all = append(all, section{max(start, lead), len(name) >= len(path) && reflect.DeepEqual(name[:len(path)], path)})
	})
	var out strings.Builder
	at := 0
	for i, s := range all {
		if !s.ours {
			continue
		}
		end := len(text)
		if i+1 < len(all) {
			end = all[i+1].start
		}
		out.WriteString(text[at:max(at, s.start)])
		at = s.start + ownLines(text[s.start:end], i+1 == len(all))
	}
	out.WriteString(text[at:])
	return out.String()
}

// ownLines returns how much of a section belongs to the table: not the blank lines and comments behind its last key, which belong to the
// next section.
func ownLines(section string, last bool) int {
	own, at := 0, 0
	for line := range strings.Lines(section) {
		at += len(line)
		if bare := strings.TrimSpace(line); bare != "" && (bare[0] != '#' || last && own == 0) {
			own = at
		}
	}
	return own
}

// verifyTOML checks that two texts differ only by a table.
func verifyTOML(with, without string, path []string) error {
	long, err := ParseTOML(with)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	short, err := ParseTOML(without)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if _, left := GetTOML(short, path...); left {
		return ErrChanged
	}
	e := Entry{Path: path[:len(path)-1], Key: path[len(path)-1]}
	if !reflect.DeepEqual(pruneBelow(drop(long, e, e.Path), e.Path), pruneBelow(any(short), e.Path)) {
		return ErrChanged
	}
	return nil
}
