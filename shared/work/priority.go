package work

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Priority is how urgent an item is, 0 to 4. People and agents see the word,
// providers the number; input takes both.
type Priority int

// The priorities. An item that names none is Medium.
const (
	PriorityNone Priority = iota
	PriorityLow
	PriorityMedium
	PriorityHigh
	PriorityCritical
)

var priorityWords = [...]string{"none", "low", "medium", "high", "critical"}

// ParsePriority reads a word or a number; "urgent" means critical and ""
// PriorityMedium.
func ParsePriority(s string) (Priority, error) {
	switch word := strings.ToLower(strings.TrimSpace(s)); word {
	case "":
		return PriorityMedium, nil
	case "urgent":
		return PriorityCritical, nil
	default:
		for p, known := range priorityWords {
			if word == known || word == strconv.Itoa(p) {
				return Priority(p), nil
			}
		}
	}
	return 0, fault.Validation("priority", "priority %q is not known", s).
		WithHint("use none, low, medium, high, critical, or 0 to 4")
}

// String is the word for p.
func (p Priority) String() string {
	if p < 0 || int(p) >= len(priorityWords) {
		return strconv.Itoa(int(p))
	}
	return priorityWords[p]
}

// MarshalText returns the word.
func (p Priority) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalJSON reads a word or a number, which may stand in quotes.
func (p *Priority) UnmarshalJSON(b []byte) (err error) {
	given := string(b)
	if given == "null" {
		return nil
	}
	if len(given) > 0 && given[0] == '"' {
		if err := json.Unmarshal(b, &given); err != nil {
			return err
		}
	}
	if n, bad := strconv.ParseFloat(given, 64); bad == nil && n == math.Trunc(n) { // 3.0
		given = strconv.FormatFloat(n, 'f', -1, 64)
	}
	*p, err = ParsePriority(given)
	return err
}

// MCPSchema lists the words, which models write; the tools of some models accept only enums of strings. Numbers are read too.
func (Priority) MCPSchema() json.RawMessage {
	return json.RawMessage(`{"type":"string","enum":["none","low","medium","high","critical"]}`)
}

// Or returns the priority, or other when it is nil.
func (p *Priority) Or(other Priority) Priority {
	if p == nil {
		return other
	}
	return *p
}

// UnmarshalText reads a word or a number.
func (p *Priority) UnmarshalText(b []byte) (err error) {
	*p, err = ParsePriority(string(b))
	return err
}
