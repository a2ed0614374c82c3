package edit

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Entry is one member of an object, or one element of an array, of a JSON file
// with or without comments and trailing commas.
type Entry struct {
	Path  []string // names of the objects around it, from the root
	Key   string   // of the member; "" for an element of the array that Path names
	Value any
	// Is reports whether an element of the array is the entry.
	Is func(value any) bool
	// Inner is the name of a list that elements of the array may hold; the entry may be an element of that list. It is "" when there is no
	// such list. An entry that is alone in the list stands for the whole element, unless Alone is set.
	Inner string
	Alone bool
}

// A JSON is a parsed text.
type JSON struct {
	text  string // without a byte order mark
	mark  string // the byte order mark
	root  hujson.Value
	blank bool // it holds only comments and white space
}

// ParseJSON parses a text; a text of only white space and comments is an empty object. The error names the line at which the text is wrong.
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
	if err != nil && strings.Contains(j.text[strings.LastIndexByte(j.text, '\n')+1:], "//") { // a comment may end with the text
		if again, ok := hujson.Parse([]byte(j.text + "\n")); ok == nil {
			root, err = again, nil
		}
	}
	if err != nil && Blank(j.text) {
		j.blank = true
		return j, nil
	}
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, errors.New("it does not hold an object")
	}
	j.root = root
	return j, nil
}

// Get returns the value below the given names as encoding/json decodes it. When members have the same name, the last counts, as in every
// client.
func (j *JSON) Get(path ...string) (any, bool) {
	v, n := j.find(path)
	if v == nil || n < len(path) {
		return nil, false
	}
	return decode(v)
}

// find follows the names while they lead through objects. It returns the last value and the number of names followed.
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

// member returns the index of the last member of that name, or -1.
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

// place is the position of an entry among its siblings.
type place struct {
	parent *hujson.Value
	index  int
	start  int // offset of the entry, its name included
	value  *hujson.Value
}

// entry returns the place of a container's entry.
func entry(parent *hujson.Value, index int) place {
	if o, ok := parent.Value.(*hujson.Object); ok {
		return place{parent, index, o.Members[index].Name.StartOffset, &o.Members[index].Value}
	}
	value := &parent.Value.(*hujson.Array).Elements[index]
	return place{parent, index, value.StartOffset, value}
}

// size returns the number of entries in a container, -1 for a value that is none.
func size(v *hujson.Value) int {
	switch o := v.Value.(type) {
	case *hujson.Object:
		return len(o.Members)
	case *hujson.Array:
		return len(o.Elements)
	}
	return -1
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
		return entry(parent, i), true
	case *hujson.Array:
		if e.Is == nil {
			return p, false
		}
		for i := range o.Elements {
			if value, ok := decode(&o.Elements[i]); ok && e.Is(value) {
				if p, shared := inside(&o.Elements[i], e); shared {
					return p, true
				}
				return entry(parent, i), true
			}
		}
	}
	return p, false
}

// inside returns the place of an entry in the list that an element holds. shared is false when the entry is not in that list, or stands for
// the whole element.
func inside(element *hujson.Value, e Entry) (p place, shared bool) {
	at := member(element, e.Inner)
	if e.Inner == "" || at < 0 {
		return p, false
	}
	list := &element.Value.(*hujson.Object).Members[at].Value
	inner, ok := list.Value.(*hujson.Array)
	if !ok || len(inner.Elements) < 2 && !e.Alone {
		return p, false
	}
	for i := range inner.Elements {
		if value, ok := decode(&inner.Elements[i]); ok && e.Is(value) {
			return entry(list, i), true
		}
	}
	return p, false
}

// Blank reports whether a text holds only white space and comments.
func Blank(text string) bool {
	value, err := hujson.Parse([]byte(strings.TrimPrefix(text, bom) + "\n{}"))
	return err == nil && value.StartOffset+len("{}") >= len(strings.TrimPrefix(text, bom))+len("\n{}")
}

// Find returns the value of an entry that is in the text.
func (j *JSON) Find(e Entry) (any, bool) {
	p, found := j.locate(e)
	if !found {
		return nil, false
	}
	return decode(p.value)
}
