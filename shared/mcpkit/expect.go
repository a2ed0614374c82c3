package mcpkit

import (
	"encoding/json"
	"fmt"
	"strings"
)

// expected describes in words what the schema accepts, so that a model can repair its call; described adds the author's description.
func (s *schema) expected(described bool) string {
	text := s.words()
	if described && s.desc != "" {
		text += ": " + s.desc
	}
	return text
}

func (s *schema) words() string {
	switch {
	case s.own == timeType:
		return "a time such as 2026-01-02T15:04:05Z"
	case s.given != nil:
		return "a value as in " + string(s.given)
	case s.enum != nil:
		return "one of " + strings.Join(s.enum, ", ")
	}
	switch s.kind {
	case "string":
		if s.min != nil && *s.min == 1 {
			open := *s
			open.min = nil
			return "a non-empty string" + open.span("%d characters")
		}
		return "a string" + s.span("%d characters")
	case "integer":
		return "a whole number" + s.span("%d")
	case "number":
		return "a number" + s.span("%d")
	case "boolean":
		return "true or false"
	case "array":
		return "a list" + s.span("%d items")
	case "object":
		return "an object"
	default:
		return "a value"
	}
}

// span describes min and max; each bound is printed by format.
func (s *schema) span(format string) string {
	from, to := "", ""
	if s.min != nil {
		from = fmt.Sprintf(format, int64(*s.min))
	}
	if s.max != nil {
		to = fmt.Sprintf(format, int64(*s.max))
	}
	switch {
	case from != "" && to != "":
		number, _, _ := strings.Cut(from, " ")
		return " from " + number + " to " + to
	case from != "":
		return " of at least " + from
	case to != "":
		return " of at most " + to
	default:
		return ""
	}
}

// example returns the inside of an object with the required fields.
func example(s *schema) string {
	var parts []string
	for _, p := range s.props {
		if p.required || len(s.props) == 1 {
			parts = append(parts, fmt.Sprintf("%q: …", p.name))
		}
	}
	return strings.Join(parts, ", ")
}

// kindOf names a JSON value for people. Strings and numbers are shown, cut short, because seeing the value helps to repair the call.
func kindOf(value any) string {
	switch x := value.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("the string %q", shorten(x))
	case bool:
		return fmt.Sprint(x)
	case json.Number:
		return "the number " + shorten(x.String())
	case []any:
		return "a list"
	default:
		return "an object"
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// shorten cuts quoted input, so that it does not fill a message.
func shorten(text string) string {
	const most = 60
	runes := 0
	for i := range text {
		if runes == most {
			return text[:i] + "…"
		}
		runes++
	}
	return text
}
