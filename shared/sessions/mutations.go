package sessions

import (
	"context"
	"encoding/json"
)

// mutation is one line of a log of changes: 0 is the whole document, 1 sets the value at a path, 2 cuts a list at an index and appends to
// it, 3 removes.
type mutation struct {
	Kind  int             `json:"kind"`
	Path  []any           `json:"k"`
	Value json.RawMessage `json:"v"`
	Index *int            `json:"i"`
}

// mostRequests bounds the length of a list that a log makes.
const mostRequests = 20_000

// replayed reads a log of changes and calls with the resulting document. It keeps only the parts of a chat that are read: its id, time and
// requests.
func replayed(ctx context.Context, src Source, from Position, with func(document []byte)) (Position, error) {
	var document any
	size := 0
	at, err := readLines(ctx, src, Position{Passed: from.Passed}, nil, noUsage, func(line []byte, _ *sink) bool {
		var m mutation
		if json.Unmarshal(line, &m) != nil {
			return false
		}
		if m.Kind == 0 {
			document, size = nil, 0
		}
		if size += len(line); size > maxWhole {
			return false // what follows is left out
		}
		var value any
		if len(m.Value) > 0 && json.Unmarshal(m.Value, &value) != nil {
			return false
		}
		if m.Kind == 0 {
			chat, ok := value.(map[string]any)
			if !ok {
				return false
			}
			for name := range chat {
				if !ofChat(name) {
					delete(chat, name)
				}
			}
			document = chat
			return true
		}
		if len(m.Path) == 0 || document == nil {
			return false
		}
		if name, ok := m.Path[0].(string); !ok || !ofChat(name) {
			return true
		}
		changed, ok := m.apply(document, m.Path, value)
		document = changed
		return ok
	})
	if err != nil || document == nil {
		return at, err
	}
	data, err := json.Marshal(document)
	if err == nil {
		with(data)
	}
	return at, err
}

func ofChat(name string) bool {
	return name == "sessionId" || name == "creationDate" || name == "requests"
}

// apply returns a node after the change at the path beneath it, and whether the path exists.
func (m *mutation) apply(node any, path []any, value any) (any, bool) {
	if len(path) == 0 {
		switch m.Kind {
		case 1:
			return value, true
		case 2:
			list, _ := node.([]any)
			if m.Index != nil {
				list = list[:max(0, min(*m.Index, len(list)))]
			}
			more, _ := value.([]any)
			if len(list)+len(more) > mostRequests {
				return node, false
			}
			return append(list, more...), true
		}
		return node, false
	}
	last := len(path) == 1 && m.Kind == 3
	switch at := path[0].(type) {
	case string:
		object, ok := node.(map[string]any)
		if !ok {
			if node != nil {
				return node, false
			}
			object = map[string]any{}
		}
		if last {
			delete(object, at)
			return object, true
		}
		changed, ok := m.apply(object[at], path[1:], value)
		object[at] = changed
		return object, ok
	case float64:
		list, _ := node.([]any)
		i := int(at)
		if i < 0 || i >= mostRequests || i > len(list) {
			return node, false
		}
		if last {
			if i < len(list) {
				list[i] = nil
			}
			return list, true
		}
		if i == len(list) {
			list = append(list, nil)
		}
		changed, ok := m.apply(list[i], path[1:], value)
		list[i] = changed
		return list, ok
	}
	return node, false
}
