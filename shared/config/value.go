package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// convert checks a raw value, as a parser gave it, against a key and returns the
// typed one. The error is a phrase that continues the name of the key.
func (k key) convert(raw any) (any, error) {
	switch k.kind {
	case durationType:
		switch v := raw.(type) {
		case string:
			d, err := ParseDuration(v)
			return d, phrase(err)
		default:
			if n, ok := integer(raw); ok && n == 0 {
				return ParseDuration("0")
			}
		}
		return nil, fmt.Errorf("must be a duration such as \"5m\", not %s", describe(raw))
	case sizeType:
		switch v := raw.(type) {
		case string:
			size, err := ParseSize(v)
			return size, phrase(err)
		default:
			if n, ok := integer(raw); ok && n >= 0 {
				return Size(n), nil
			}
		}
		return nil, fmt.Errorf("must be a size such as \"512MB\", not %s", describe(raw))
	case secretType:
		if v, ok := raw.(string); ok {
			return Secret(v), nil
		}
		return nil, fmt.Errorf("must be text") // and the value is not repeated: it may be the secret
	case listType:
		return list(raw)
	}
	switch k.kind.Kind() {
	case reflect.Bool:
		if v, ok := raw.(bool); ok {
			return v, nil
		}
		return nil, fmt.Errorf("must be true or false, not %s", describe(raw))
	case reflect.Int:
		if n, ok := integer(raw); ok {
			return n, nil
		}
		return nil, fmt.Errorf("must be a whole number, not %s", describe(raw))
	}
	v, ok := raw.(string)
	if !ok {
		return nil, fmt.Errorf("must be text in quotes, not %s", describe(raw))
	}
	if len(k.oneof) > 0 && !slices.Contains(k.oneof, v) {
		return nil, fmt.Errorf("is %q and must be one of %s", v, strings.Join(k.oneof, ", "))
	}
	return v, nil
}

// parse is convert for text from a variable, a flag or `config set`, where
// numbers and truth values have no type of their own.
func (k key) parse(text string) (any, error) {
	switch {
	case k.kind == listType:
		return parseList(text)
	case k.kind == durationType || k.kind == sizeType || k.kind == secretType:
	case k.kind.Kind() == reflect.Bool:
		v, err := strconv.ParseBool(strings.ToLower(text))
		if err != nil {
			return nil, fmt.Errorf("must be true or false, not %q", text)
		}
		return v, nil
	case k.kind.Kind() == reflect.Int:
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("must be a whole number, not %q", text)
		}
		return k.convert(n)
	}
	return k.convert(text)
}

// parseList reads a list from text: a JSON array, or one element a line.
func parseList(text string) (any, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		var out []string
		if err := json.Unmarshal([]byte(text), &out); err == nil {
			return out, nil
		}
		return nil, fmt.Errorf("must be a list such as [\"one\", \"two\"]")
	}
	out := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out, nil
}

func list(raw any) (any, error) {
	switch v := raw.(type) {
	case string:
		return []string{v}, nil
	case []string:
		return v, nil
	case []any:
		out := make([]string, len(v))
		for i, element := range v {
			text, ok := element.(string)
			if !ok {
				return nil, fmt.Errorf("must be a list of texts, and element %d is %s", i+1, describe(element))
			}
			out[i] = text
		}
		return out, nil
	}
	return nil, fmt.Errorf("must be a list of texts, not %s", describe(raw))
}

// integer accepts the whole numbers of every parser; JSON's are floating-point.
func integer(raw any) (int64, bool) {
	switch v := raw.(type) {
	case int:
		return int64(v), true
	case int64:
		return v, true
	case uint64:
		return int64(v), v < 1<<63
	case float64:
		return int64(v), v == float64(int64(v)) && v > -1<<53 && v < 1<<53
	}
	return 0, false
}

func phrase(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("has a wrong value: %w", err)
}

func describe(raw any) string {
	switch v := raw.(type) {
	case nil:
		return "nothing"
	case string:
		return strconv.Quote(v)
	case map[string]any:
		return "a section"
	case []any:
		return "a list"
	}
	return fmt.Sprint(raw)
}
