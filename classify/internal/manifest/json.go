package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// A field is one member of a JSON object.
type field struct {
	key   string
	value json.RawMessage
}

// An object is the members of a JSON object, in the order of the file.
type object []field

// at returns the member under a key, one without a value when there is none.
func (o object) at(key string) field {
	for _, f := range slices.Backward(o) { // of a duplicated key the last one counts
		if f.key == key {
			return f
		}
	}
	return field{key: key}
}

// str returns a string value, "" for another type.
func (o object) str(key string) string { return str(o.at(key).value) }

// object returns the members of a JSON object; of a duplicated key the last one wins, as in every package manager. Comments and trailing
// commas are accepted, and reported when strict is set.
func (d *draft) object(text string, strict bool) object {
	fields, err := members([]byte(text))
	if err != nil {
		plain := plainJSON(text)
		var again error
		if fields, again = members([]byte(plain)); again == nil {
			if strict {
				d.problem(0, "is JSON with comments or trailing commas, which its package manager refuses")
			}
			err = nil
		}
	}
	if err != nil {
		line := 0
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			line = lineAt(text, int(syntax.Offset)-1)
		}
		d.problem(line, "is not a JSON object: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return d.lastWins(fields, "")
}

// members splits an object. The members before an error are returned with it.
func members(data []byte) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	start, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if start != json.Delim('{') {
		return nil, errors.New("it does not begin with {")
	}
	var fields object
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fields, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fields, err
		}
		name, _ := key.(string)
		fields = append(fields, field{name, value})
	}
	if _, err := dec.Token(); err != nil {
		return fields, err
	}
	return fields, nil
}

// lastWins drops all but the last of each key and reports the others.
func (d *draft) lastWins(fields object, in string) object {
	last := make(map[string]int, len(fields))
	for i, f := range fields {
		last[f.key] = i
	}
	if len(last) == len(fields) {
		return fields
	}
	kept := make(object, 0, len(last))
	reported := map[string]bool{}
	for i, f := range fields {
		if last[f.key] == i {
			kept = append(kept, f)
		} else if !reported[f.key] {
			reported[f.key] = true
			d.problem(0, "has the key %q more than once%s; the last one counts", f.key, in)
		}
	}
	return kept
}

// table reads a member that should be an object; one of another type is reported, and an empty one is returned. Composer and others write
// an empty object as [].
func (d *draft) members(f field) object {
	value := bytes.TrimSpace(f.value)
	if len(value) == 0 || bytes.Equal(value, []byte("null")) || bytes.Equal(value, []byte("[]")) {
		return nil
	}
	if value[0] != '{' {
		d.problem(0, "has something else than an object in %q", f.key)
		return nil
	}
	fields, err := members(value)
	if err != nil {
		d.problem(0, "cannot be read in %q: %v", f.key, err)
	}
	return d.lastWins(fields, " in "+f.key)
}

// str returns the value of a JSON string, "" for anything else.
func str(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// strs returns the strings of a JSON array, or the one string in its place.
func strs(raw json.RawMessage) []string {
	if s := str(raw); s != "" {
		return []string{s}
	}
	var list []string
	for _, item := range rawList(raw) {
		if s := str(item); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// plainJSON replaces comments by spaces and drops commas before a closing bracket.
func plainJSON(text string) string {
	out := make([]byte, 0, len(text))
	comma := -1 // where the last comma was written, when nothing has followed it yet
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' && text[end] != '\n' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			out = append(out, text[i:end]...)
			i, comma = end-1, -1
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			out = append(out, '\n')
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return string(out)
			}
			i += end + 3
			out = append(out, ' ')
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			out, comma = append(out, c), -1
		case c == ',':
			comma = len(out)
			out = append(out, c)
		case c == ' ' || c == '\t' || c == '\n':
			out = append(out, c)
		default:
			out, comma = append(out, c), -1
		}
	}
	return string(out)
}

// rawList returns the items of a JSON array, nil for anything else.
func rawList(raw json.RawMessage) []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil
	}
	for i := range items {
		items[i] = bytes.TrimSpace(items[i])
	}
	return items
}
