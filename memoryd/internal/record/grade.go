package record

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Grade is what a commit was worth to the agent that made it or to the user; 0 is
// none.
type Grade int

// The grades. There are no others.
const (
	Bad        Grade = -1
	Neutral    Grade = 1
	Good       Grade = 2
	Excellence Grade = 5
)

// Grades are all of them, worst first.
var Grades = [...]Grade{Bad, Neutral, Good, Excellence}

// String is the grade's word, "" for none.
func (g Grade) String() string {
	switch g {
	case Bad:
		return "bad"
	case Neutral:
		return "neutral"
	case Good:
		return "good"
	case Excellence:
		return "excellence"
	}
	return ""
}

// ParseGrade reads a grade, as its number or its word. field names the parameter
// in the error.
func ParseGrade(field, s string) (Grade, error) {
	for _, g := range Grades {
		if s == strconv.Itoa(int(g)) || strings.EqualFold(s, g.String()) {
			return g, nil
		}
	}
	return 0, unknownGrade(field, s)
}

func unknownGrade(field, s string) error {
	return fault.Validation(field, "%q is not a grade", s).WithHint("use -1 (bad), 1 (neutral), 2 (good) or 5 (excellence)")
}

// checkGrade refuses a number that is not a grade.
func checkGrade(field string, g Grade) error {
	if g.String() == "" {
		return unknownGrade(field, strconv.Itoa(int(g)))
	}
	return nil
}

// MCPSchema says that it is a number; the words for each stand in descriptions, since some models' tools take an enum of texts alone.
func (Grade) MCPSchema() json.RawMessage { return json.RawMessage(`{"type":"integer"}`) }

// UnmarshalJSON reads a number, or a word. Which parameter it is, its reader knows.
func (g *Grade) UnmarshalJSON(data []byte) (err error) {
	s := string(data)
	if len(s) > 1 && s[0] == '"' {
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
	}
	*g, err = ParseGrade("", s)
	return err
}
