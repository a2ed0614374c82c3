package record

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Grade is the value of a commit to its agent or the user; 0 means no grade.
type Grade int

// The grades. There are no others.
const (
	Bad        Grade = -1
	Neutral    Grade = 1
	Good       Grade = 2
	Excellence Grade = 5
)

var words = map[Grade]string{Bad: "bad", Neutral: "neutral", Good: "good", Excellence: "excellence"}

// Grades lists all grades, worst first.
var Grades = [...]Grade{Bad, Neutral, Good, Excellence}

// String is the grade's word, "" for none.
func (g Grade) String() string { return words[g] }

// ParseGrade reads a grade as its number or its word. field is the parameter named in the error.
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

// MCPSchema returns the schema of a number. Descriptions explain each grade's word, since some models' tools accept enums only of texts.
func (Grade) MCPSchema() json.RawMessage { return json.RawMessage(`{"type":"integer"}`) }

// UnmarshalJSON reads a number, or a word. The caller knows the parameter's name.
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
