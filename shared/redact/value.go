package redact

import (
	"bytes"
	"encoding/json"
)

// Value is Text for every text inside a value decoded from JSON, which itself
// stays as it is. A text under a key such as "password" is judged with its key.
func Value(value any) (clean any, kinds []string) {
	switch v := value.(type) {
	case string:
		return Text(v)
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			var found []string
			out[i], found = Value(inner)
			kinds = append(kinds, found...)
		}
		return out, kinds
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			key, found := Text(name)
			kinds = append(kinds, found...)
			out[key], found = memberOf(name, inner)
			kinds = append(kinds, found...)
		}
		return out, kinds
	}
	return value, nil
}

// memberOf redacts the value of an object's member.
func memberOf(key string, value any) (any, []string) {
	if s, ok := value.(string); ok {
		if kind := under(key, s); kind != "" {
			taken.remember(key + `="` + s + `"`)
			return Mark + kind + "]", []string{kind}
		}
	}
	return Value(value)
}

// under returns what s is as the value of a key that sounds secret; "" for
// nothing secret.
func under(key, s string) string {
	lead := key + `="`
	for _, h := range search(lead + s + `"`).hits {
		if h.from == len(lead) && h.to == len(lead)+len(s) {
			return h.kind
		}
	}
	return ""
}

// JSON redacts the texts of an encoded document and leaves the rest as it is,
// byte for byte; its keys stay. A document without secrets comes back itself.
func JSON(document []byte) (clean []byte, kinds []string) {
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

// stringEnd is where the JSON string that begins at from ends.
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
	text, kinds = Redact(text)
	if kinds == nil {
		return nil, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return nil, nil
	}
	return bytes.TrimRight(b.Bytes(), "\n"), kinds
}
