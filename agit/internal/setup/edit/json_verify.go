package edit

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

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
