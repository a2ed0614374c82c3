package edit

import (
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
	case added.Before != "" && strings.HasSuffix(head, added.Before):
		head = strings.TrimSuffix(head, added.Before)
	case added.Before == "":
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
