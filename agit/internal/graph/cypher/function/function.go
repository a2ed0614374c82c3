// Package function is the table of the language's functions and aggregations: their names, arguments, one-line descriptions and
// implementations. The checker, the executor and the documentation page read it. It keeps no state and is safe for concurrent use.
package function

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// Types is a set of value kinds, as far as they are known before running.
type Types uint32

// The type sets of signatures. Null is in none of them and is always accepted.
const (
	Boolean       = Types(1 << value.KindBoolean)
	Integer       = Types(1 << value.KindInteger)
	Float         = Types(1 << value.KindFloat)
	String        = Types(1 << value.KindString)
	List          = Types(1 << value.KindList)
	Map           = Types(1 << value.KindMap)
	Node          = Types(1 << value.KindNode)
	Relationship  = Types(1 << value.KindRelationship)
	Path          = Types(1 << value.KindPath)
	DateTime      = Types(1 << value.KindDateTime)
	LocalDateTime = Types(1 << value.KindLocalDateTime)
	Date          = Types(1 << value.KindDate)
	Time          = Types(1 << value.KindTime)
	LocalTime     = Types(1 << value.KindLocalTime)
	Duration      = Types(1 << value.KindDuration)
	Number        = Integer | Float
	Instant       = DateTime | LocalDateTime | Date | Time | LocalTime
	Temporal      = Instant | Duration
	Any           = Boolean | Number | String | List | Map | Node | Relationship | Path | Temporal
)

// TypeOf returns the set with v's kind alone; for null it returns Any.
func TypeOf(v any) Types {
	if v == nil {
		return Any
	}
	return Types(1 << value.KindOf(v))
}

// String names the types of the set: "a List or a String".
func (t Types) String() string {
	if t == Any {
		return "any value"
	}
	var names []string
	for k := value.KindBoolean; k <= value.KindDuration; k++ {
		if t&(1<<k) != 0 {
			names = append(names, k.Article())
		}
	}
	return strings.Join(names, " or ")
}

// Env is the part of a running query that a function may use.
type Env interface {
	Node(n *value.Node) (*value.Node, error) // n with labels and all properties
	NodeByID(id int64) (*value.Node, error)  // with labels; may be Partial
	Random() float64                         // in [0, 1)
	Now() time.Time                          // when the query began
	Charge(bytes int) error                  // fails when a value of that size would be too large
	Step() error                             // to be called in loops; fails when the time is up
}

// Function is one entry of the table.
type Function struct {
	Name      string
	Group     string
	Signature string // as the documentation shows it
	Does      string // one-line description
	Min, Max  int    // number of arguments; Max -1 means no limit
	Params    []Types
	Result    Types
	Nulls     bool // Call gets null arguments; otherwise a null argument makes the result null
	Random    bool // the result differs from call to call
	Aggregate bool
	Call      func(env Env, args []any) (any, error) // nil for aggregations
}

// The groups, in the order the documentation shows them.
const (
	Scalar       = "Scalar"
	Entities     = "Nodes, relationships and paths"
	Lists        = "Lists"
	Strings      = "Strings"
	Numbers      = "Numbers"
	Trigonometry = "Logarithms and trigonometry"
	Conversion   = "Conversion"
	Temporals    = "Dates, times and durations"
	Aggregation  = "Aggregation"
)

// Groups lists the groups in order.
var Groups = [...]string{Scalar, Entities, Lists, Strings, Numbers, Trigonometry, Conversion, Temporals, Aggregation}

// All returns the table, group by group.
func All() []Function {
	return slices.Concat(scalars(), entities(), lists(), stringFunctions(), numbers(), trigonometry(), conversions(), temporals(), aggregations())
}

// table is All by lower-case name, built when first asked for.
var table = sync.OnceValue(func() map[string]*Function {
	byName := make(map[string]*Function)
	for _, f := range All() {
		byName[strings.ToLower(f.Name)] = &f
	}
	return byName
})

// Find looks a function up by its name, in any case; nil when there is none.
func Find(name string) *Function { return table()[strings.ToLower(name)] }

// Names lists every function name, for suggestions.
func Names() []string {
	var names []string
	for _, f := range All() {
		names = append(names, f.Name)
	}
	return names
}

// one returns f as a function of one argument, which has one of the types of f.Params when call gets it. wants names them in the error about
// another type; where it is empty, the error is badValue.
func one(f Function, wants string, call func(env Env, v any) (any, error)) Function {
	f.Min, f.Max = 1, 1
	f.Call = func(env Env, args []any) (any, error) {
		switch v := args[0]; {
		case TypeOf(v)&f.Params[0] != 0:
			return call(env, v)
		case wants == "":
			return nil, badValue(f.Name, v)
		default:
			return nil, badType(f.Name, v, wants)
		}
	}
	return f
}

// badValue is the error for an argument whose value a function does not accept.
func badValue(name string, v any) error {
	return syntax.RuntimeErrorf(syntax.Pos{}, "TypeError", "InvalidArgumentValue", "%s() has no answer for %s", name, value.KindOf(v).Article())
}

// badType is the error for an argument of a type that a function never accepts.
func badType(name string, v any, want string) error {
	return syntax.RuntimeErrorf(syntax.Pos{}, "TypeError", "InvalidArgumentType", "%s() takes %s, not %s", name, want, value.KindOf(v).Article())
}

func argumentError(detail, format string, args ...any) error {
	return syntax.RuntimeErrorf(syntax.Pos{}, "ArgumentError", detail, "%s", fmt.Sprintf(format, args...))
}
