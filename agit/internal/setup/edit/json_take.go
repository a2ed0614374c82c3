package edit

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Take returns the text without the entry; it returns the text unchanged when the entry is not in it. added is what Put returned.
func (j *JSON) Take(e Entry, added Added) (string, error) {
	p, found := j.locate(e)
	if !found {
		return j.mark + j.text, nil
	}
	if len(added.Made) > 0 { // added then describes the container, not the entry
		added = Added{}
	}
	text := j.cut(p, added)
	if err := j.verify(text, e, false); err != nil {
		return "", err
	}
	return j.mark + text, nil
}

// TakeMade takes out the containers that Put made for an entry, the innermost first, as long as they are empty and hold no comment.
func (j *JSON) TakeMade(added Added) (string, error) {
	at := j
	for i, path := range slices.Backward(added.Made) {
		last := len(path) - 1
		e := Entry{Path: path[:last], Key: path[last]}
		p, found := at.locate(e)
		if !found || size(p.value) != 0 || hasComments(p.value) {
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

// Only reports whether the text holds only these members, and no comment.
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

// hasComments reports whether there is a comment anywhere in a container.
func hasComments(v *hujson.Value) bool {
	for at := range v.All() {
		space := string(at.BeforeExtra) + string(at.AfterExtra)
		switch o := at.Value.(type) {
		case *hujson.Object:
			space += string(o.AfterExtra)
		case *hujson.Array:
			space += string(o.AfterExtra)
		}
		if strings.Contains(space, "/") {
			return true
		}
	}
	return false
}

// cut takes out an entry, the comma that separated it, and the white space in front of it.
func (j *JSON) cut(p place, added Added) string {
	start, end := p.start, p.value.EndOffset
	own := p.value.AfterExtra != nil || p.index < size(p.parent)-1 // a comma follows
	if own {
		end += len(p.value.AfterExtra) + 1
	}
	head, tail := j.text[:start], j.text[end:]
	switch {
	case added.Before != "" && strings.HasSuffix(head, added.Before) && !strings.HasSuffix(head, "\r"+added.Before):
		head = strings.TrimSuffix(head, added.Before)
	default: // no record, or a formatter wrote the file anew
		bare := strings.TrimRight(head, " \t")
		if before, ok := strings.CutSuffix(bare, "\n"); ok {
			bare = strings.TrimSuffix(before, "\r")
		}
		head = bare
	}
	if size(p.parent) == 1 && added.After != "" {
		tail = strings.TrimPrefix(tail, added.After)
	}
	if !own && p.index > 0 { // the comma that Put wrote behind the previous entry
		previous := entry(p.parent, p.index-1).value
		comma := previous.EndOffset + len(previous.AfterExtra)
		head = head[:comma] + strings.Replace(head[comma:], ",", "", 1)
	}
	return head + tail
}

// verify compares the values of a new text with those of the old one.
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

// drop returns a document without an entry.
func drop(doc any, e Entry, path []string) any {
	if list, ok := doc.([]any); ok && len(path) == 0 && e.Is != nil {
		i := slices.IndexFunc(list, e.Is)
		if i < 0 {
			return doc
		}
		list = slices.Clone(list)
		if shared := dropInside(list[i], e); shared != nil {
			list[i] = shared
			return list
		}
		return slices.Delete(list, i, i+1)
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

// dropInside returns an element without the entry in its inner list; nil when the list holds no other entry.
func dropInside(element any, e Entry) any {
	o, ok := element.(map[string]any)
	if e.Inner == "" || !ok {
		return nil
	}
	inner, _ := o[e.Inner].([]any)
	i := slices.IndexFunc(inner, e.Is)
	if len(inner) < 2 && !e.Alone || i < 0 {
		return nil
	}
	out := maps.Clone(o)
	out[e.Inner] = slices.Delete(slices.Clone(inner), i, i+1)
	return out
}

// pruneBelow drops the empty containers of a path.
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
