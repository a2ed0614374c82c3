package syntax

import (
	"fmt"
	"hash/maphash"
	"reflect"
	"strings"
)

var seed = maphash.MakeSeed()

// Fingerprint returns a number that is equal for expressions that Same accepts, and almost always different for others. memo caches
// results, so that comparing every part of one expression with others stays cheap.
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

// Same reports whether two expressions are written the same, apart from white space and the letter case of functions. A subquery or
// pattern is the same only as itself.
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
	for i := len(ca) - 1; i >= 0; i-- { // the right operand is usually shorter
		if !Same(ca[i], cb[i]) {
			return false
		}
	}
	return true
}

// shape returns the text that distinguishes expressions of one type, without their children.
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
