package syntax

import (
	"fmt"
	"hash/maphash"
	"reflect"
	"strings"
)

var seed = maphash.MakeSeed()

// Fingerprint is a number that is the same for expressions that Same takes as
// the same, and hardly ever for others. memo keeps what has been computed, so
// that comparing every part of one expression with others stays cheap.
func Fingerprint(e Expr, memo map[Expr]uint64) uint64 {
	if sum, ok := memo[e]; ok {
		return sum
	}
	var h maphash.Hash
	h.SetSeed(seed)
	fmt.Fprintf(&h, "%T %s", e, shape(e))
	for _, child := range Children(e) {
		fmt.Fprintf(&h, " %d", Fingerprint(child, memo))
	}
	memo[e] = h.Sum64()
	return memo[e]
}

// Same reports whether two expressions are written the same, letter case of
// functions and white space aside. Subqueries and patterns are the same only as
// themselves.
func Same(a, b Expr) bool {
	if a == b {
		return true
	}
	if reflect.TypeOf(a) != reflect.TypeOf(b) || shape(a) != shape(b) {
		return false
	}
	switch a.(type) {
	case *PatternComprehension, *PatternPredicate, *Exists:
		return false
	}
	ca, cb := Children(a), Children(b)
	if len(ca) != len(cb) {
		return false
	}
	for i := len(ca) - 1; i >= 0; i-- { // the right side of an operator is the short one
		if !Same(ca[i], cb[i]) {
			return false
		}
	}
	return true
}

// shape is what distinguishes expressions of one type apart from their children.
func shape(e Expr) string {
	switch e := e.(type) {
	case *Literal:
		return fmt.Sprintf("%T %v", e.Value, e.Value)
	case *Parameter:
		return e.Name
	case *Variable:
		return e.Name
	case *Property:
		return e.Key
	case *Slice:
		return fmt.Sprint(e.From == nil, e.To == nil)
	case *Unary:
		return e.Op
	case *Binary:
		return e.Op
	case *Comparison:
		return strings.Join(e.Ops, " ")
	case *IsNull:
		return fmt.Sprint(e.Not)
	case *HasLabels:
		return strings.Join(e.Labels, ":")
	case *MapLiteral:
		return strings.Join(e.Keys, ":")
	case *Call:
		return fmt.Sprint(strings.ToLower(e.Name), e.Distinct, e.Star)
	case *Case:
		return fmt.Sprint(e.Test == nil, e.Else == nil)
	case *Comprehension:
		return fmt.Sprint(e.Var.Name, e.Where == nil, e.Map == nil)
	case *Quantifier:
		return e.Kind + e.Var.Name
	case *Reduce:
		return e.Acc.Name + ":" + e.Var.Name
	case *MapProjection:
		return fmt.Sprint(e.All, e.Keys)
	}
	return ""
}
