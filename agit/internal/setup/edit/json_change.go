package edit

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// Change returns the text with these members set in an entry, which is an object, and the entry's other members kept. A member replaces the
// one of its name, or else goes behind the others. Change also returns the names of the new members.
func (j *JSON) Change(e Entry, members Object) (string, []string, error) {
	at := j
	var made []string
	for _, m := range members {
		p, found := at.locate(e)
		if !found {
			return "", nil, fmt.Errorf("%w: it is not in the file", ErrChanged)
		}
		if _, ok := p.value.Value.(*hujson.Object); !ok {
			return "", nil, fmt.Errorf("%s is not an object", named(append(e.Path, e.Key)))
		}
		was, _ := decode(p.value)
		want, _ := Plain(was).(map[string]any)
		want = maps.Clone(want)
		want[m.Key] = Plain(m.Value)
		text := at.set(p.value, m, &made)
		next, err := ParseJSON(text)
		if err != nil {
			return "", nil, fmt.Errorf("%w: %w", ErrChanged, err)
		}
		if err := at.changed(next, e, want); err != nil {
			return "", nil, err
		}
		next.mark = j.mark
		at = next
	}
	return at.mark + at.text, made, nil
}

// set returns the text with one member of an object set.
func (j *JSON) set(object *hujson.Value, m Member, made *[]string) string {
	if i := member(object, m.Key); i >= 0 {
		value := &object.Value.(*hujson.Object).Members[i].Value
		l := j.layoutIn(object)
		l.flat = !strings.Contains(j.text[value.StartOffset:value.EndOffset], "\n")
		var out strings.Builder
		l.write(&out, m.Value, j.indentAt(value.StartOffset))
		return j.text[:value.StartOffset] + out.String() + j.text[value.EndOffset:]
	}
	*made = append(*made, m.Key)
	return j.insert(object, quote(m.Key), m.Value, &Added{})
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
