package function

import (
	"math"
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/syntax"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

func aggregations() []Function {
	entry := func(name, signature, does string, args int, result Types) Function {
		return Function{Name: name, Group: Aggregation, Signature: signature, Does: does, Min: args, Max: args, Result: result, Aggregate: true}
	}
	return []Function{
		entry("avg", "avg(number)", "the mean, null of nothing", 1, Number),
		entry("collect", "collect(value)", "the values as a list", 1, List),
		entry("count", "count(value), count(*)", "how many values are not null, or how many rows there are", 1, Integer),
		entry("max", "max(value)", "the greatest in the order of ORDER BY", 1, Any),
		entry("min", "min(value)", "the least in the order of ORDER BY", 1, Any),
		entry("percentileCont", "percentileCont(number, p)", "the percentile p (0 to 1), between two values where need be", 2, Number),
		entry("percentileDisc", "percentileDisc(number, p)", "the nearest value to the percentile p (0 to 1)", 2, Number),
		entry("stDev", "stDev(number)", "the standard deviation of a sample", 1, Float),
		entry("stDevP", "stDevP(number)", "the standard deviation of a whole population", 1, Float),
		entry("sum", "sum(number)", "the sum, 0 of nothing", 1, Number),
	}
}

// Keeps reports whether the aggregation name keeps all its values.
func Keeps(name string) bool {
	f := Find(name)
	return f.Name == "collect" || f.Min == 2
}

// Accumulator aggregates the values of one group. It never gets null.
type Accumulator interface {
	Add(v any) error
	Result() any
}

// NewAccumulator returns an accumulator for the aggregation name; second is the second argument, for an aggregation that has one.
func NewAccumulator(name string, second any) (Accumulator, error) {
	switch f := Find(name); f.Name {
	case "count":
		return new(counter), nil
	case "collect":
		return &collector{list: []any{}}, nil
	case "min":
		return &extreme{want: -1}, nil
	case "max":
		return &extreme{want: 1}, nil
	case "sum":
		return &summer{name: "sum", whole: true}, nil
	case "avg":
		return &averager{summer{name: "avg", whole: true}}, nil
	case "stDev":
		return &deviation{name: "stDev", sample: true}, nil
	case "stDevP":
		return &deviation{name: "stDevP"}, nil
	default:
		p, ok := AsFloat(second)
		if !ok || !(p >= 0 && p <= 1) {
			return nil, argumentError("NumberOutOfRange", "%s() takes a percentile from 0.0 to 1.0, not %s", f.Name, value.Format(second))
		}
		return &percentile{name: f.Name, p: p, continuous: f.Name == "percentileCont"}, nil
	}
}

type counter int64

func (c *counter) Add(any) error { *c++; return nil }
func (c *counter) Result() any   { return int64(*c) }

type collector struct{ list []any }

func (c *collector) Add(v any) error {
	c.list = append(c.list, v)
	return nil
}
func (c *collector) Result() any { return c.list }

type extreme struct {
	want int
	best any
}

func (e *extreme) Add(v any) error {
	if e.best == nil || value.Order(v, e.best)*e.want > 0 {
		e.best = v
	}
	return nil
}
func (e *extreme) Result() any { return e.best }

type summer struct {
	name  string
	whole bool // only integers so far
	n     int64
	ints  int64
	float float64
}

func (s *summer) Add(v any) error {
	s.n++
	switch v := v.(type) {
	case int64:
		if s.whole {
			total := s.ints + v
			if (total > s.ints) != (v > 0) && v != 0 {
				return syntax.RuntimeErrorf(syntax.Pos{}, "ArithmeticError", "IntegerOverflow", "%s() does not fit a 64-bit integer", s.name)
			}
			s.ints = total
			return nil
		}
		s.float += float64(v)
	case float64:
		if s.whole {
			s.whole, s.float = false, float64(s.ints)
		}
		s.float += v
	default:
		return badType(s.name, v, "numbers")
	}
	return nil
}

func (s *summer) Result() any {
	if s.whole {
		return s.ints
	}
	return s.float
}

type averager struct{ summer }

func (a *averager) Result() any {
	switch {
	case a.n == 0:
		return nil
	case a.whole:
		return float64(a.ints) / float64(a.n)
	}
	return a.float / float64(a.n)
}

// deviation uses Welford's method: one pass, no cancellation.
type deviation struct {
	name   string
	sample bool
	n      float64
	mean   float64
	m2     float64
}

func (d *deviation) Add(v any) error {
	x, ok := AsFloat(v)
	if !ok {
		return badType(d.name, v, "numbers")
	}
	d.n++
	delta := x - d.mean
	d.mean += delta / d.n
	d.m2 += delta * (x - d.mean)
	return nil
}

func (d *deviation) Result() any {
	n := d.n
	if d.sample {
		n--
	}
	if n <= 0 {
		return 0.0
	}
	return math.Sqrt(d.m2 / n)
}

type percentile struct {
	name       string
	p          float64
	continuous bool
	values     []any
}

func (p *percentile) Add(v any) error {
	if _, ok := AsFloat(v); !ok {
		return badType(p.name, v, "numbers")
	}
	p.values = append(p.values, v)
	return nil
}

func (p *percentile) Result() any {
	n := len(p.values)
	if n == 0 {
		return nil
	}
	slices.SortFunc(p.values, value.Order)
	if !p.continuous {
		rank := int(math.Ceil(p.p*float64(n))) - 1
		return p.values[max(0, min(rank, n-1))]
	}
	at := p.p * float64(n-1)
	low, _ := AsFloat(p.values[int(math.Floor(at))])
	high, _ := AsFloat(p.values[int(math.Ceil(at))])
	return low + (high-low)*(at-math.Floor(at))
}
