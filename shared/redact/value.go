package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Value is Text for every text inside a value decoded from JSON; the value itself stays unchanged. A text under a key such as "password" is
// judged with its key.
func Value(value any) (clean any, kinds []string) {
	return valueUnder("", value)
}

// Telling reports whether a generated value under a name counts as a secret. It takes nothing out and remembers nothing.
func Telling(name string) bool { return under(name, "aB3dE5fG7hJ9kL1m") != "" }

// valueUnder redacts the value of an object's member, or of a list that is one.
func valueUnder(key string, value any) (clean any, kinds []string) {
	switch v := value.(type) {
	case string:
		if kind := under(key, v); kind != "" {
			taken.remember(key + `="` + v + `"`)
			return Marked(kind), []string{kind}
		}
		return Text(v)
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			var found []string
			out[i], found = valueUnder(key, inner)
			kinds = append(kinds, found...)
		}
		return out, kinds
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			clean, found := Text(name)
			kinds = append(kinds, found...)
			out[clean], found = valueUnder(nameOf(v, name, key), inner)
			kinds = append(kinds, found...)
		}
		return out, kinds
	}
	return value, nil
}

// nameOf returns the name with which a member of an object is judged: its own, or a name that a member beside it, or beside the object,
// holds for it.
func nameOf(object map[string]any, member, outer string) string {
	if !holding()[strings.ToLower(member)] {
		return member
	}
	for name, inner := range object {
		if s, ok := inner.(string); ok && name != member && naming()[strings.ToLower(name)] && len(s) < longestName && Telling(s) {
			return s
		}
	}
	if outer != "" {
		return outer
	}
	return member
}

// jsonTexts redacts the JSON strings of data that is not one document, one by one.
func jsonTexts(document []byte) (clean []byte, kinds []string) {
	var out bytes.Buffer
	done := 0
	for i := 0; i < len(document); i++ {
		if document[i] != '"' {
			continue
		}
		end := stringEnd(document, i)
		if end-i >= shortest {
			if text, found := jsonText(document[i:end]); found != nil {
				out.Write(document[done:i])
				out.Write(text)
				done = end
				kinds = append(kinds, found...)
			}
		}
		i = end - 1
	}
	if kinds == nil {
		return document, nil
	}
	out.Write(document[done:])
	return out.Bytes(), kinds
}

// stringEnd returns where the JSON string that begins at from ends.
func stringEnd(document []byte, from int) int {
	for i := from + 1; i < len(document); i++ {
		switch document[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(document)
}

// jsonText redacts one JSON string; nil kinds leave it as it is.
func jsonText(encoded []byte) (clean []byte, kinds []string) {
	var text string
	if json.Unmarshal(encoded, &text) != nil {
		return nil, nil
	}
	if text, kinds = Redact(text); kinds == nil {
		return nil, nil
	}
	return encode(text), kinds
}

// encode returns a text as a JSON string, with <, > and & as they are.
func encode(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text always encodes
	return bytes.TrimRight(b.Bytes(), "\n")
}
