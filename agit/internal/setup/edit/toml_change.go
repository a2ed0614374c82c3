package edit

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

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
		return "", Added{}, fmt.Errorf("%w: %w", ErrChanged, err)
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
