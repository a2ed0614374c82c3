package syntax

// Expr is an expression; At returns its start.
type Expr interface{ At() Pos }

// The expressions. Each embeds its position.
type (
	// Literal is null, a boolean, a number or a string.
	Literal struct {
		Pos
		Value any
	}
	// Parameter is $name.
	Parameter struct {
		Pos
		Name string
	}
	// Variable is a name, with the slot that package check found for it.
	Variable struct {
		Pos
		Name string
		Slot int
	}
	// Property is Of.Key.
	Property struct {
		Pos
		Of  Expr
		Key string
	}
	// Index is Of[Index].
	Index struct {
		Pos
		Of, Index Expr
	}
	// Slice is Of[From..To]; either bound may be nil.
	Slice struct {
		Pos
		Of, From, To Expr
	}
	// Unary is NOT x, -x, +x, x IS NULL or x IS NOT NULL.
	Unary struct {
		Pos
		Op string
		X  Expr
	}
	// Binary is an arithmetic, boolean, string or list operator.
	Binary struct {
		Pos // of the operator's left side
		Op  string
		L   Expr
		R   Expr
	}
	// Comparison is a chain such as a < b <= c, true when every link is.
	Comparison struct {
		Pos
		Operands []Expr // one more than Ops
		Ops      []string
	}
	// HasLabels is x:Label:Other; on a relationship it tests the type.
	HasLabels struct {
		Pos
		X      Expr
		Labels []string
	}
	// ListLiteral is [a, b].
	ListLiteral struct {
		Pos
		Items []Expr
	}
	// MapLiteral is {key: value}.
	MapLiteral struct {
		Pos
		Keys   []string
		Values []Expr
	}
	// Call is a function call; Slot is the slot of an aggregation's result.
	Call struct {
		Pos
		Name     string
		Distinct bool
		Star     bool // count(*)
		Args     []Expr
		Slot     int
	}
	// Case is CASE, with Test for the simple form.
	Case struct {
		Pos
		Test Expr
		When []Expr
		Then []Expr
		Else Expr
	}
	// Comprehension is [v IN List WHERE Where | Map].
	Comprehension struct {
		Pos
		Var              *Variable
		List, Where, Map Expr
	}
	// Quantifier is all, any, none or single (v IN List WHERE Where).
	Quantifier struct {
		Pos
		Kind        string // lower case
		Var         *Variable
		List, Where Expr
	}
	// Reduce is reduce(Acc = Init, Var IN List | Body).
	Reduce struct {
		Pos
		Acc  *Variable
		Init Expr
		Var  *Variable
		List Expr
		Body Expr
	}
	// PatternComprehension is [p = (a)-->(b) WHERE … | Map].
	PatternComprehension struct {
		Pos
		Match *Match
		Map   Expr
	}
	// PatternPredicate is a pattern used as a condition, or EXISTS(pattern).
	PatternPredicate struct {
		Pos
		Match  *Match
		Exists bool // written as EXISTS(…), allowed wherever an expression is
	}
	// Exists is EXISTS { … }.
	Exists struct {
		Pos
		Query *Query
	}
	// MapProjection is v {.key, .*, key: value, other}.
	MapProjection struct {
		Pos
		Of     Expr
		All    bool
		Keys   []string
		Values []Expr
	}
)

// At returns the position; every expression embeds one.
func (p Pos) At() Pos { return p }
