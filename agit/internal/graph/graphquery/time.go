package graphquery

import (
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/temporal"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Times are stored as texts of one width, in UTC with milliseconds. In queries they are moments: they compare with datetime() and add
// with duration().

// asTime makes a moment of a stored time.
func asTime(_ *view, _ int64, stored any) (any, error) {
	text, _ := stored.(string)
	if text == "" {
		return nil, nil
	}
	at, err := timestamp.Parse(text)
	if err != nil {
		return text, nil // not in our format; a query shows it unchanged
	}
	return temporal.FromEpochMillis(at.UnixMilli())
}

func moment(name, column string) property {
	return property{name: name, column: column, value: asTime, time: true}
}

// storedTime returns a moment as the registry stores times. ok is false for a moment finer than a millisecond, at another offset, or
// outside the years that sort as text.
func storedTime(t temporal.DateTime) (text string, ok bool) {
	text, exact := floorTime(t)
	return text, exact && t.Offset == 0 && t.Zone == ""
}

// floorTime returns the last stored time that is not after a moment; "" outside the years that sort as text.
func floorTime(t temporal.DateTime) (text string, exact bool) {
	millis, _ := temporal.Component(t, "epochMillis")
	n, _ := millis.(int64)
	at := time.UnixMilli(n).UTC()
	if at.Year() < 0 || at.Year() > 9999 {
		return "", false
	}
	return registry.FormatTime(at), t.Nano%int64(time.Millisecond) == 0
}

// timeCondition returns an SQL comparison of a stored time with a moment. It holds wherever the real comparison holds; ok is false when
// SQL cannot help.
func timeCondition(c graph.Condition) (operator string, text string, ok bool) {
	t, is := c.Value.(temporal.DateTime)
	if !is {
		return "", "", false
	}
	text, _ = floorTime(t)
	operator = map[graph.Op]string{
		graph.Equal: "=", graph.Less: "<=", graph.LessOrEqual: "<=", graph.Greater: ">=", graph.GreaterOrEqual: ">=",
	}[c.Op]
	return operator, text, operator != "" && text != ""
}
