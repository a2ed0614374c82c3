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

// cutTables takes out the sections of a table and its subtables, from the blank line in front that tableText wrote to the comments of the
// next table.
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
		head := text[at:max(at, s.start)]
		at = s.start + ownLines(text[s.start:end], i+1 == len(all))
		if next, _, _ := strings.Cut(text[at:], "\n"); strings.TrimSpace(next) == "" { // one of two blank lines, or the last one, goes too
			bare := strings.TrimSuffix(strings.TrimSuffix(head, "\n"), "\r")
			if bare == "" || strings.HasSuffix(bare, "\n") {
				head = bare
			}
		}
		out.WriteString(head)
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
		return otherForm(path)
	}
	short, err := ParseTOML(without)
	if err != nil {
		return otherForm(path)
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

// otherForm is the error of a text that would not be TOML after the edit: a table goes beside none that is written in another form.
func otherForm(path []string) error {
	return fmt.Errorf("%w: %s, or a part of it, is written inline or with dotted keys, and not as the table [%s]", ErrChanged, path[0], strings.Join(path, "."))
}

// ChangeTOML returns the text with these keys of a table set, and the table's other keys and subtables kept. A key replaces the one of its
// name, or else goes below the table's header. When a table has only subtables, its header is added at the end of the text; ChangeTOML
// returns what that added.
func ChangeTOML(text string, t Table) (string, Added, error) {
	was, err := ParseTOML(text)
	if err != nil {
		return "", Added{}, err
	}
	old, found := GetTOML(was, t.Path...)
	table, ok := old.(map[string]any)
	if !found || !ok {
		return "", Added{}, fmt.Errorf("%w: it is not a table of the file", ErrChanged)
	}
	var added Added
	after := text
	if _, ok := headerOf(text, t.Path); !ok {
		added.Text = tableText(text, t)
		for _, m := range t.Value {
			added.Keys = append(added.Keys, m.Key)
		}
		after += added.Text
	} else {
		for _, m := range t.Value {
			header, _ := headerOf(after, t.Path)
			after = setKey(after, t.Path, header, m)
		}
	}
	is, err := ParseTOML(after)
	if err != nil {
		return "", Added{}, otherForm(t.Path)
	}
	want := maps.Clone(Plain(table).(map[string]any))
	maps.Copy(want, Plain(t.Value).(map[string]any))
	got, _ := GetTOML(is, t.Path...)
	e := Entry{Path: t.Path[:len(t.Path)-1], Key: t.Path[len(t.Path)-1]}
	if !reflect.DeepEqual(Plain(got), any(want)) || !reflect.DeepEqual(drop(any(was), e, e.Path), drop(any(is), e, e.Path)) {
		return "", Added{}, ErrChanged
	}
	return after, added, nil
}

// headerOf returns the offset of the line behind a table's header.
func headerOf(text string, path []string) (int, bool) {
	at, found := 0, false
	eachExpression(text, func(e *unstable.Node, name []string, start int) {
		if e.Kind == unstable.Table && reflect.DeepEqual(name, path) {
			at, found = lineAfter(text, start), true
		}
	})
	return at, found
}

func lineAfter(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// setKey writes one key of a table whose keys begin at header.
func setKey(text string, path []string, header int, m Member) string {
	eol := lineEnd(text)
	l := layout{unit: " ", eol: eol, flat: true}
	var value strings.Builder
	l.write(&value, m.Value, "")
	var current []string
	start := -1
	eachExpression(text, func(e *unstable.Node, name []string, at int) {
		switch {
		case e.Kind == unstable.Table, e.Kind == unstable.ArrayTable:
			current = name
		case reflect.DeepEqual(current, path) && reflect.DeepEqual(name, []string{m.Key}):
			start = at
		}
	})
	if start < 0 {
		head := text[:header]
		if !strings.HasSuffix(head, "\n") {
			head += eol
		}
		return head + m.Key + " = " + value.String() + eol + text[header:]
	}
	// The value ends with the first line up to which the text parses; the rest of that line is a comment.
	equals := start + strings.IndexByte(text[start:], '=') + 1
	for end := lineAfter(text, start); ; end = lineAfter(text, end) {
		if _, err := ParseTOML("k =" + text[equals:end]); err == nil {
			whole := strings.TrimRight(text[equals:end], "\r\n")
			return text[:equals] + " " + value.String() + commentBehind(whole) + text[equals+len(whole):]
		}
		if end == len(text) {
			return text
		}
	}
}

// commentBehind returns the comment behind a value, with the white space in front of it.
func commentBehind(value string) string {
	line := strings.LastIndexByte(value, '\n') + 1
	for i := line; i < len(value); i++ {
		if value[i] != '#' {
			continue
		}
		if _, err := ParseTOML("k =" + value[:i]); err == nil {
			bare := strings.TrimRight(value[:i], " \t")
			return value[len(bare):]
		}
	}
	return ""
}

// eachExpression visits the tables and keys of a text, with their names and offsets.
func eachExpression(text string, visit func(e *unstable.Node, name []string, start int)) {
	lead := len(text) - len(strings.TrimPrefix(text, bom))
	p := unstable.Parser{}
	p.Reset([]byte(text[lead:]))
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
			continue
		}
		var name []string
		start := -1
		for it := e.Key(); it.Next(); {
			if start < 0 {
				start = lead + int(it.Node().Raw.Offset)
			}
			name = append(name, string(it.Node().Data))
		}
		if start >= 0 {
			visit(e, name, start)
		}
	}
}
