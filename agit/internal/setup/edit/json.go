package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Entry is one member of an object, or one element of an array, of a JSON file
// with or without comments and trailing commas.
type Entry struct {
	Path  []string // the names of the objects around it, from the root
	Key   string   // of the member; "" for an element of the array that Path names
	Value any
	// Is tells the entry among the elements of the array.
	Is func(value any) bool
}

// A JSON is a parsed text.
type JSON struct {
	text  string // without a byte order mark
	mark  string // the byte order mark
	root  hujson.Value
	blank bool
}

// ParseJSON reads a text; one of white space only is an empty object. The error
// says at which line the text is wrong.
func ParseJSON(text string) (*JSON, error) {
	j := &JSON{text: text}
	if rest, ok := strings.CutPrefix(text, bom); ok {
		j.text, j.mark = rest, bom
	}
	if err := readable(j.text); err != nil {
		return nil, err
	}
	if strings.TrimSpace(j.text) == "" {
		j.blank = true
		return j, nil
	}
	root, err := hujson.Parse([]byte(j.text))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, errors.New("it does not hold an object")
	}
	j.root = root
	return j, nil
}

// Get returns the value below the given names as encoding/json decodes it. Of
// members with the same name the last counts, as in every client.
func (j *JSON) Get(path ...string) (any, bool) {
	v, n := j.find(path)
	if v == nil || n < len(path) {
		return nil, false
	}
	return decode(v)
}

// find follows the names as far as there are objects, and returns the last
// value and how many names led there.
func (j *JSON) find(path []string) (*hujson.Value, int) {
	if j.blank {
		return nil, 0
	}
	at := &j.root
	for n, name := range path {
		m := member(at, name)
		if m < 0 {
			return at, n
		}
		at = &at.Value.(*hujson.Object).Members[m].Value
	}
	return at, len(path)
}

// member is the index of the last member of that name, -1 without one.
func member(v *hujson.Value, name string) int {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return -1
	}
	for i, m := range slices.Backward(o.Members) {
		if l, ok := m.Name.Value.(hujson.Literal); ok && l.String() == name {
			return i
		}
	}
	return -1
}

func decode(v *hujson.Value) (any, bool) {
	plain := v.Clone()
	plain.Standardize()
	var out any
	if json.Unmarshal(plain.Pack(), &out) != nil {
		return nil, false
	}
	return out, true
}

// place is where an entry stands among its siblings.
type place struct {
	parent *hujson.Value
	index  int
	count  int
	start  int // of the entry, its name included
	value  *hujson.Value
}

func (j *JSON) locate(e Entry) (p place, found bool) {
	parent, n := j.find(e.Path)
	if parent == nil || n < len(e.Path) {
		return p, false
	}
	switch o := parent.Value.(type) {
	case *hujson.Object:
		i := member(parent, e.Key)
		if e.Key == "" || i < 0 {
			return p, false
		}
		return place{parent, i, len(o.Members), o.Members[i].Name.StartOffset, &o.Members[i].Value}, true
	case *hujson.Array:
		if e.Is == nil {
			return p, false
		}
		for i := range o.Elements {
			if value, ok := decode(&o.Elements[i]); ok && e.Is(value) {
				return place{parent, i, len(o.Elements), o.Elements[i].StartOffset, &o.Elements[i]}, true
			}
		}
	}
	return p, false
}

// Find returns the value of an entry that is in the text.
func (j *JSON) Find(e Entry) (any, bool) {
	p, found := j.locate(e)
	if !found {
		return nil, false
	}
	return decode(p.value)
}

// Put returns the text with the entry behind its siblings, in the containers of
// its path, which are made when they do not exist, and what it added. The entry
// must not be in the text yet.
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
	if n < len(e.Path) { // the first container that is missing, with the others and the entry in it
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

// wrap puts an entry into the containers of a path that leads to it.
func wrap(path []string, e Entry) any {
	if len(path) > 0 {
		return Object{{path[0], wrap(path[1:], e)}}
	}
	if e.Key == "" {
		return []any{e.Value}
	}
	return Object{{e.Key, e.Value}}
}

// putBlank writes a whole file.
func (j *JSON) putBlank(e Entry) (string, Added, error) {
	var out strings.Builder
	l := layout{unit: "  ", eol: lineEnd(j.text)}
	l.write(&out, wrap(e.Path, e), "")
	out.WriteString(l.eol)
	return j.mark + out.String(), Added{Made: containers(e.Path, 0)}, nil
}

// containers are the paths of those that lead to an entry, from the nth on.
func containers(path []string, n int) (all [][]string) {
	for ; n < len(path); n++ {
		all = append(all, slices.Clone(path[:n+1]))
	}
	return all
}

// insert writes an entry behind the others of a container. The comma goes
// behind the last one, and the entry behind the comment on that one's line.
func (j *JSON) insert(at *hujson.Value, name string, value any, added *Added) string {
	l := j.layoutIn(at)
	entry := func(indent string) string {
		var out strings.Builder
		if name != "" {
			out.WriteString(name + l.colon())
		}
		l.write(&out, value, indent)
		return out.String()
	}
	last, after := lastOf(at)
	if last == nil {
		inside := string(after)
		indent := j.indentAt(at.StartOffset)
		pos := at.StartOffset + 1
		if l.flat {
			return j.text[:pos] + entry(indent) + j.text[pos:]
		}
		added.Before = l.eol + indent + l.unit
		if !strings.Contains(inside, "\n") {
			added.After = l.eol + indent
		}
		return j.text[:pos] + added.Before + entry(indent+l.unit) + added.After + j.text[pos:]
	}
	comma := last.AfterExtra != nil // a trailing one
	pos := last.EndOffset
	if comma {
		pos += len(last.AfterExtra) + 1
	}
	head := j.text[:pos]
	if !comma {
		head += ","
	}
	// What stands behind the last entry on its line belongs to it.
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
		indent = j.indentAt(firstOf(at))
		added.Before = l.eol + indent
	}
	tail := ""
	if comma {
		tail = ","
	}
	return head + added.Before + entry(indent) + tail + rest
}

// commentOnLine is the length of the comment that a line goes on with.
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

// lastOf is a container's last value, and what stands in front of its end.
func lastOf(at *hujson.Value) (*hujson.Value, hujson.Extra) {
	switch o := at.Value.(type) {
	case *hujson.Object:
		if n := len(o.Members); n > 0 {
			return &o.Members[n-1].Value, o.AfterExtra
		}
		return nil, o.AfterExtra
	case *hujson.Array:
		if n := len(o.Elements); n > 0 {
			return &o.Elements[n-1], o.AfterExtra
		}
		return nil, o.AfterExtra
	}
	return nil, nil
}

// firstOf is where a container's last entry begins whose siblings the new one is
// indented like.
func firstOf(at *hujson.Value) int {
	switch o := at.Value.(type) {
	case *hujson.Object:
		return o.Members[len(o.Members)-1].Name.StartOffset
	case *hujson.Array:
		return o.Elements[len(o.Elements)-1].StartOffset
	}
	return at.StartOffset
}

// layoutIn is how the entries of a container are written: as those that are
// there, else as the rest of the file.
func (j *JSON) layoutIn(at *hujson.Value) layout {
	l := layout{unit: j.unit(), eol: lineEnd(j.text)}
	last, _ := lastOf(at)
	if last != nil {
		l.flat = !strings.Contains(j.text[at.StartOffset:firstOf(at)], "\n")
	} else {
		l.flat = !strings.Contains(strings.TrimSpace(j.text), "\n") && len(j.root.Value.(*hujson.Object).Members) > 0
	}
	if l.flat && !strings.Contains(j.text, `": `) && !strings.Contains(j.text, ", ") {
		l.unit = ""
	}
	return l
}

// unit is the file's indentation of one level.
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

// indentAt is the white space that the line of an offset begins with.
func (j *JSON) indentAt(offset int) string {
	line := j.text[strings.LastIndexByte(j.text[:offset], '\n')+1 : offset]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// Take returns the text without the entry; one that is not in it changes
// nothing. added is what Put returned.
func (j *JSON) Take(e Entry, added Added) (string, error) {
	p, found := j.locate(e)
	if !found {
		return j.mark + j.text, nil
	}
	if len(added.Made) > 0 { // what was added stands around the container
		added = Added{}
	}
	text := j.cut(p, added)
	if err := j.verify(text, e, false); err != nil {
		return "", err
	}
	return j.mark + text, nil
}

// TakeMade takes out the containers that Put made for an entry, the innermost
// first, as far as they are empty and nobody wrote a comment into them.
func (j *JSON) TakeMade(added Added) (string, error) {
	at := j
	for i, path := range slices.Backward(added.Made) {
		last := len(path) - 1
		e := Entry{Path: path[:last], Key: path[last]}
		p, found := at.locate(e)
		if !found || !emptyContainer(p.value) || hasComments(p.value) {
			break
		}
		around := Added{}
		if i == 0 {
			around = Added{Before: added.Before, After: added.After}
		}
		text := at.cut(p, around)
		if err := at.verify(text, e, false); err != nil {
			return "", err
		}
		next, err := ParseJSON(text)
		if err != nil {
			return "", err
		}
		next.mark = j.mark
		at = next
	}
	return at.mark + at.text, nil
}

// Only reports whether the text holds these members and nothing else, no
// comment either.
func (j *JSON) Only(seeds Object) bool {
	if j.blank {
		return true
	}
	o, ok := j.root.Value.(*hujson.Object)
	if !ok || len(o.Members) > len(seeds) || hasComments(&j.root) {
		return false
	}
	want, _ := Plain(seeds).(map[string]any)
	for _, m := range o.Members {
		value, ok := decode(&m.Value)
		name, _ := m.Name.Value.(hujson.Literal)
		if expected, has := want[name.String()]; !ok || !has || !reflect.DeepEqual(value, expected) {
			return false
		}
	}
	return true
}

func emptyContainer(v *hujson.Value) bool {
	switch o := v.Value.(type) {
	case *hujson.Object:
		return len(o.Members) == 0
	case *hujson.Array:
		return len(o.Elements) == 0
	}
	return false
}

// hasComments reports whether anybody wrote between a container's entries.
func hasComments(v *hujson.Value) bool {
	c := v.Clone()
	for at := range c.All() {
		if strings.Contains(string(at.BeforeExtra)+string(at.AfterExtra), "/") {
			return true
		}
		switch o := at.Value.(type) {
		case *hujson.Object:
			if strings.Contains(string(o.AfterExtra), "/") {
				return true
			}
		case *hujson.Array:
			if strings.Contains(string(o.AfterExtra), "/") {
				return true
			}
		}
	}
	return false
}

// cut takes out an entry, the comma that kept it apart, and the white space in
// front of it.
func (j *JSON) cut(p place, added Added) string {
	start, end := p.start, p.value.EndOffset
	own := p.value.AfterExtra != nil || p.index < p.count-1 // a comma follows
	if own {
		end += len(p.value.AfterExtra) + 1
	}
	head, tail := j.text[:start], j.text[end:]
	switch {
	case added.Before != "" && strings.HasSuffix(head, added.Before):
		head = strings.TrimSuffix(head, added.Before)
	case added.Before == "":
		bare := strings.TrimRight(head, " \t")
		if before, ok := strings.CutSuffix(bare, "\n"); ok {
			bare = strings.TrimSuffix(before, "\r")
		}
		head = bare
	}
	if p.count == 1 && added.After != "" {
		tail = strings.TrimPrefix(tail, added.After)
	}
	if !own && p.index > 0 { // the comma that Put wrote behind the one before
		comma := previousEnd(p)
		head = head[:comma] + strings.Replace(head[comma:], ",", "", 1)
	}
	return head + tail
}

// previousEnd is where the sibling before a place ends, up to its comma.
func previousEnd(p place) int {
	switch o := p.parent.Value.(type) {
	case *hujson.Object:
		v := o.Members[p.index-1].Value
		return v.EndOffset + len(v.AfterExtra)
	case *hujson.Array:
		v := o.Elements[p.index-1]
		return v.EndOffset + len(v.AfterExtra)
	}
	return p.start
}

// verify compares what a new text says with what the old one said.
func (j *JSON) verify(text string, e Entry, put bool) error {
	after, err := ParseJSON(text)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	was, _ := decode(&j.root)
	is, ok := decode(&after.root)
	if !ok {
		return ErrChanged
	}
	if value, has := after.Find(e); put && (!has || !reflect.DeepEqual(value, Plain(e.Value))) {
		return ErrChanged
	}
	long, short := is, was
	if !put {
		long, short = was, is
	}
	if !reflect.DeepEqual(pruneBelow(drop(long, e, e.Path), e.Path), pruneBelow(short, e.Path)) {
		return ErrChanged
	}
	return nil
}

// drop is a document without an entry.
func drop(doc any, e Entry, path []string) any {
	if list, ok := doc.([]any); ok && len(path) == 0 && e.Is != nil {
		if i := slices.IndexFunc(list, e.Is); i >= 0 {
			return slices.Delete(slices.Clone(list), i, i+1)
		}
		return doc
	}
	o, ok := doc.(map[string]any)
	if !ok {
		return doc
	}
	out := map[string]any{}
	for k, v := range o {
		switch {
		case len(path) > 0 && k == path[0]:
			out[k] = drop(v, e, path[1:])
		case len(path) == 0 && k == e.Key:
		default:
			out[k] = v
		}
	}
	return out
}

// pruneBelow drops the containers of a path that are empty.
func pruneBelow(doc any, path []string) any {
	o, ok := doc.(map[string]any)
	if !ok || len(path) == 0 {
		return doc
	}
	out := map[string]any{}
	for k, v := range o {
		if k == path[0] {
			v = pruneBelow(v, path[1:])
			if isEmpty(v) {
				continue
			}
		}
		out[k] = v
	}
	return out
}

func isEmpty(v any) bool {
	switch c := v.(type) {
	case map[string]any:
		return len(c) == 0
	case []any:
		return len(c) == 0
	}
	return false
}
