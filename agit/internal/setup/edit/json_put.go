package edit

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Put returns the text with the entry behind its siblings, and what it added besides the entry. It makes the containers of the entry's path
// that do not exist. The entry must not be in the text yet.
func (j *JSON) Put(e Entry) (string, Added, error) {
	if _, found := j.locate(e); found {
		return "", Added{}, fmt.Errorf("%w: it is in the file already", ErrChanged)
	}
	if j.blank {
		return j.putBlank(e)
	}
	at, n := j.find(e.Path)
	var added Added
	name, value := e.Key, e.Value
	if n < len(e.Path) { // put in the first missing container, with the inner ones and the entry in it
		name, value = e.Path[n], wrap(e.Path[n+1:], e)
		added.Made = containers(e.Path, n)
	}
	var text string
	switch at.Value.(type) {
	case *hujson.Object:
		if name == "" {
			return "", added, fmt.Errorf("%s is not a list", named(e.Path[:n]))
		}
		text = j.insert(at, quote(name), value, &added)
	case *hujson.Array:
		if name != "" {
			return "", added, fmt.Errorf("%s is not an object", named(e.Path[:n]))
		}
		text = j.insert(at, "", value, &added)
	default:
		return "", added, fmt.Errorf("%s is not an object", named(e.Path[:n]))
	}
	if err := j.verify(text, e, true); err != nil {
		return "", added, err
	}
	return j.mark + text, added, nil
}

func named(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return fmt.Sprintf("%q", strings.Join(path, "."))
}

// wrap puts an entry into the containers of the path to it.
func wrap(path []string, e Entry) any {
	if len(path) > 0 {
		return Object{{path[0], wrap(path[1:], e)}}
	}
	if e.Key == "" {
		return []any{e.Value}
	}
	return Object{{e.Key, e.Value}}
}

// putBlank writes the entry into a text that holds only white space and comments.
func (j *JSON) putBlank(e Entry) (string, Added, error) {
	var out strings.Builder
	l := layout{unit: "  ", eol: lineEnd(j.text)}
	if strings.TrimSpace(j.text) != "" { // comments
		out.WriteString(j.text)
		if !strings.HasSuffix(j.text, "\n") {
			out.WriteString(l.eol)
		}
	}
	l.write(&out, wrap(e.Path, e), "")
	out.WriteString(l.eol)
	return j.mark + out.String(), Added{Made: containers(e.Path, 0)}, nil
}

// containers returns the paths of the containers on the way to an entry, from the nth on.
func containers(path []string, n int) (all [][]string) {
	for ; n < len(path); n++ {
		all = append(all, slices.Clone(path[:n+1]))
	}
	return all
}

// insert writes an entry behind the others of a container. The comma goes behind the last of them, and the entry behind a comment on the
// same line.
func (j *JSON) insert(at *hujson.Value, name string, value any, added *Added) string {
	l := j.layoutIn(at)
	text := func(indent string) string {
		var out strings.Builder
		if name != "" {
			out.WriteString(name + ":" + l.space())
		}
		l.write(&out, value, indent)
		return out.String()
	}
	n := size(at)
	if n == 0 {
		inside := j.text[at.StartOffset:at.EndOffset]
		indent := j.indentAt(at.StartOffset)
		pos := at.StartOffset + 1
		if l.flat {
			return j.text[:pos] + text(indent) + j.text[pos:]
		}
		added.Before = l.eol + indent + l.unit
		if !strings.Contains(inside, "\n") {
			added.After = l.eol + indent
		}
		return j.text[:pos] + added.Before + text(indent+l.unit) + added.After + j.text[pos:]
	}
	last := entry(at, n-1)
	comma := last.value.AfterExtra != nil // a trailing one
	pos := last.value.EndOffset
	if comma {
		pos += len(last.value.AfterExtra) + 1
	}
	head := j.text[:pos]
	if !comma {
		head += ","
	}
	// A comment behind the last entry, on the same line, belongs to that entry.
	rest := j.text[pos:]
	if line, ok := commentOnLine(rest); ok && !l.flat {
		head, rest = head+rest[:line], rest[line:]
	}
	indent := ""
	if l.flat {
		if l.unit != "" {
			added.Before = " "
		}
	} else {
		indent = j.indentAt(last.start) // a new sibling is indented like the last one
		added.Before = l.eol + indent
	}
	tail := ""
	if comma {
		tail = ","
	}
	return head + added.Before + text(indent) + tail + rest
}

// commentOnLine returns the length of the comment with which a line continues.
func commentOnLine(rest string) (int, bool) {
	line, _, found := strings.Cut(rest, "\n")
	line = strings.TrimRight(line, " \t\r")
	bare := strings.TrimLeft(line, " \t")
	switch {
	case !found:
	case strings.HasPrefix(bare, "//"):
		return len(line), true
	case strings.HasPrefix(bare, "/*") && strings.HasSuffix(bare, "*/") && strings.Count(bare, "*/") == 1:
		return len(line), true
	}
	return 0, false
}

// layoutIn returns the layout of a container's entries: that of the existing ones, else that of the rest of the file.
func (j *JSON) layoutIn(at *hujson.Value) layout {
	l := layout{unit: j.unit(), eol: lineEnd(j.text)}
	if n := size(at); n > 0 {
		l.flat = !strings.Contains(j.text[at.StartOffset:entry(at, n-1).start], "\n")
	} else {
		l.flat = !strings.Contains(strings.TrimSpace(j.text), "\n") && len(j.root.Value.(*hujson.Object).Members) > 0
	}
	if l.flat && !strings.Contains(j.text, `": `) && !strings.Contains(j.text, ", ") {
		l.unit = ""
	}
	return l
}

// unit returns the file's indentation of one level.
func (j *JSON) unit() string {
	if o, ok := j.root.Value.(*hujson.Object); ok {
		for _, m := range o.Members {
			if indent := j.indentAt(m.Name.StartOffset); indent != "" {
				return indent
			}
		}
	}
	return "  "
}

// indentAt returns the white space at the beginning of an offset's line.
func (j *JSON) indentAt(offset int) string {
	line := j.text[strings.LastIndexByte(j.text[:offset], '\n')+1 : offset]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// Change returns the text with these members set in an entry, which is an object, and the entry's other members kept. A member replaces the
// one of its name, or else goes behind the others. Change also returns the names of the new members, and what an empty entry got behind them.
func (j *JSON) Change(e Entry, members Object) (string, Added, error) {
	at := j
	var made Added
	for _, m := range members {
		p, found := at.locate(e)
		if !found {
			return "", Added{}, fmt.Errorf("%w: it is not in the file", ErrChanged)
		}
		if _, ok := p.value.Value.(*hujson.Object); !ok {
			return "", Added{}, fmt.Errorf("%s is not an object", named(append(e.Path, e.Key)))
		}
		was, _ := decode(p.value)
		want, _ := Plain(was).(map[string]any)
		want = maps.Clone(want)
		want[m.Key] = Plain(m.Value)
		text := at.set(p.value, m, &made)
		next, err := ParseJSON(text)
		if err != nil {
			return "", Added{}, fmt.Errorf("%w: %w", ErrChanged, err)
		}
		if err := at.changed(next, e, want); err != nil {
			return "", Added{}, err
		}
		next.mark = j.mark
		at = next
	}
	return at.mark + at.text, made, nil
}

// set returns the text with one member of an object set.
func (j *JSON) set(object *hujson.Value, m Member, made *Added) string {
	if i := member(object, m.Key); i >= 0 {
		value := &object.Value.(*hujson.Object).Members[i].Value
		l := j.layoutIn(object)
		l.flat = !strings.Contains(j.text[value.StartOffset:value.EndOffset], "\n")
		var out strings.Builder
		l.write(&out, m.Value, j.indentAt(value.StartOffset))
		return j.text[:value.StartOffset] + out.String() + j.text[value.EndOffset:]
	}
	made.Keys = append(made.Keys, m.Key)
	var around Added
	text := j.insert(object, quote(m.Key), m.Value, &around)
	if size(object) == 0 {
		made.After = around.After
	}
	return text
}

// changed returns an error when after differs from this text by more than the value of an entry.
func (j *JSON) changed(after *JSON, e Entry, want any) error {
	was, _ := decode(&j.root)
	is, ok := decode(&after.root)
	if got, found := after.Find(e); !ok || !found || !reflect.DeepEqual(got, want) {
		return ErrChanged
	}
	if !reflect.DeepEqual(drop(was, e, e.Path), drop(is, e, e.Path)) {
		return ErrChanged
	}
	return nil
}
