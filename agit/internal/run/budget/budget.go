// Package budget parses limits on what agents may use, such as "20usd/day", and compares them with what they used. It uses no registry
// and no clock; all functions are pure.
package budget

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/run/costs"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

// Per is the period or unit that a budget applies to.
type Per string

// The values of Per.
const (
	Day  Per = "day"  // a day of the local calendar
	Task Per = "task" // a task, with all of its attempts
)

// Budget is a limit: an amount of money, or of tokens when Currency is empty.
type Budget struct {
	Most     int64 // millionths of the currency, or tokens
	Currency string
	Per      Per
}

// Spent is the use in one day, or for one task.
type Spent struct {
	Tokens int64            // all tokens
	Money  map[string]int64 // millionths by currency
}

// written matches a budget: a number with an optional suffix, a unit before or after it, and its period.
var written = text.Pattern{Expr: `^(\$|€|£)? *([0-9]+(?:[.,][0-9]+)?|[.,][0-9]+) *([kmg])? *(\$|€|£|[a-z]+)? */ *([a-z]+)$`}

var symbols = map[string]string{"$": "USD", "€": "EUR", "£": "GBP", "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR"}

var magnitudes = map[string]float64{"": 1, "k": 1e3, "m": 1e6, "g": 1e9}

// Parse reads budgets such as "20usd/day", "$5/task" and "2M tokens/task"; a text may hold several with commas. Its errors are
// ValidationErrors.
func Parse(list []string) (all []Budget, err error) {
	for _, several := range list {
		for _, s := range split(several) {
			b, ok := parse(s)
			if !ok {
				return nil, fault.Validation("budget", "%q is not a budget", s).WithHint("write it like 20usd/day, 5eur/task, 2M tokens/task or 500k tokens/day")
			}
			all = append(all, b)
		}
	}
	return all, nil
}

// split separates budgets at commas. A comma before the period of a budget is a decimal comma.
func split(s string) (all []string) {
	one := ""
	for part := range strings.SplitAfterSeq(s, ",") {
		if one += part; strings.Contains(part, "/") {
			all, one = append(all, strings.TrimSuffix(one, ",")), ""
		}
	}
	if one != "" || len(all) == 0 {
		all = append(all, one)
	}
	return all
}

func parse(s string) (b Budget, ok bool) {
	m := written.Regexp().FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil || m[1] != "" && m[4] != "" {
		return b, false
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(m[2], ",", "."), 64)
	unit := m[1] + m[4]
	if known := symbols[unit]; known != "" {
		unit = known
	}
	switch b.Per = Per(m[5]); {
	case err != nil || b.Per != Day && b.Per != Task:
		return b, false
	case unit == "token" || unit == "tokens":
	case len(unit) == 3 && m[3] == "":
		b.Currency = strings.ToUpper(unit)
		number *= 1e6
	default:
		return b, false
	}
	number = math.Round(number * magnitudes[m[3]])
	b.Most = int64(number)
	return b, number >= 1 && number <= 1e15
}

func (b Budget) of(s Spent) int64 {
	if b.Currency == "" {
		return s.Tokens
	}
	return s.Money[b.Currency]
}

// First returns the first budget that is used up, for the day or for the task; nil when there is none.
func First(all []Budget, day, task Spent) *Budget {
	for _, b := range all {
		if b.of(b.pick(day, task)) >= b.Most {
			return &b
		}
	}
	return nil
}

func (b Budget) pick(day, task Spent) Spent {
	if b.Per == Day {
		return day
	}
	return task
}

// Words describes a budget and its use: "$3.20 of $20 a day".
func (b Budget) Words(day, task Spent) string {
	taken := b.of(b.pick(day, task))
	if b.Currency == "" {
		return fmt.Sprintf("%s of %s tokens a %s", costs.Short(taken), costs.Short(b.Most), b.Per)
	}
	return fmt.Sprintf("%s of %s a %s", costs.Amount(float64(taken)/1e6, b.Currency), costs.Amount(float64(b.Most)/1e6, b.Currency), b.Per)
}

// Of returns the budgets for a day, or those for a task.
func Of(all []Budget, per Per) (some []Budget) {
	for _, b := range all {
		if b.Per == per {
			some = append(some, b)
		}
	}
	return some
}
