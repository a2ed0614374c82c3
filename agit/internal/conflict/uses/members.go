package uses

import (
	"slices"
	"strings"
	"sync"
)

// member takes the name of a constant in an enumeration.
func (d *definer) member(i int, top block) bool {
	before := d.tok(i - 1)
	swift := d.lang.group == "swift" && before.text == "case"
	if !d.isName(i) || !swift && !slices.Contains([]string{"{", ",", "]", "}"}, before.text) {
		return false
	}
	after := d.tok(i + 1).text
	if !swift && !slices.Contains([]string{",", "}", "=", "(", "{", ";"}, after) {
		return false
	}
	def := d.add(i, Constant, top.scope)
	def.marked = d.is(i-1, "]") || after == "("
	return true
}

// modifiers may stand before a method without a type.
var modifiers = sync.OnceValue(func() map[string]What {
	return words("", `public private protected internal static final abstract virtual override sealed async readonly get set declare extern inline
	synchronized native explicit constexpr unsafe export default partial`)
})

// cStyle takes a function whose name is between its type and its parameters.
func (d *definer) cStyle(i int) int {
	if !d.isName(i) || d.is(i, "Function") && d.lang.group == "dart" { // a type of functions
		return 0
	}
	top := d.top()
	if d.lang.members && top.what != Type {
		return 0
	}
	open := d.angle(i + 1)
	if !d.is(open, "(") {
		return d.constant(i, top)
	}
	if !d.typeBefore(i, top) {
		return 0
	}
	end := d.closing(open)
	if end < 0 {
		return 0
	}
	body, ok := d.behindParams(end + 1)
	if !ok {
		return 0
	}
	scope, what := top.scope, Function
	var qualifiers []string
	for k := i - 1; d.is(k, "::") && d.tok(k-1).kind == name; k -= 2 {
		qualifiers = append(qualifiers, d.tok(k-1).text)
	}
	for _, qualifier := range slices.Backward(qualifiers) {
		scope = join(scope, qualifier)
	}
	if top.what == Type || scope != top.scope {
		what = Method
	}
	def := d.add(i, what, scope)
	d.takeParams(def, open)
	def.end = body
	def.marked = !d.is(body, "{") || d.is(i-1, "get") || d.is(i-1, "set")
	def.declared = d.lang.group == "c" && !d.is(body, "{")
	def.hidden = d.lineHas(i, "static") && d.lang.group == "c"
	if d.is(body, "{") {
		d.next = &block{what: Function, scope: scope, def: len(d.defs) - 1}
	}
	return body
}

// lineHas reports whether a word occurs before i in its statement.
func (d *definer) lineHas(i int, word string) bool {
	for k := i - 1; k >= 0 && k > i-8 && !d.is(k, ";") && !d.is(k, "}"); k-- {
		if d.is(k, word) {
			return true
		}
	}
	return false
}

// typeBefore reports whether the tokens before a name can be the return type of a function.
func (d *definer) typeBefore(i int, top block) bool {
	before := d.tok(i - 1)
	switch {
	case before.kind == symbol && slices.Contains([]string{"*", "&", ">", "]", "::", "~", "?"}, before.text):
		return true
	case before.text == ":" && d.lang.group == "c" && slices.Contains([]string{"public", "private", "protected"}, d.tok(i-2).text):
		return top.what == Type
	case before.kind == symbol:
		return top.what == Type && slices.Contains([]string{"{", "}", ";", ")", "#", ""}, before.text) // a constructor, or a method of a script
	case before.kind == quoted:
		return false
	}
	if _, modified := modifiers()[before.text]; modified {
		return true
	}
	_, control := reserved()[before.text]
	return !control || strings.Contains(" void int long short char float double bool boolean string byte unsigned signed auto const struct size_t object map range list str ", " "+before.text+" ")
}

// behindParams returns where the body of a function begins, or where its declaration ends. A colon begins an initialiser list of C++.
func (d *definer) behindParams(i int) (body int, ok bool) {
	for k := i; k < i+40 && k < len(d.tokens); k++ {
		t := d.tokens[k]
		if d.lang.members && k > i && (t.first && t.kind == name || t.text == "}" && t.kind == symbol) {
			return k - 1, true // the end of the line ends the declaration
		}
		switch {
		case t.kind == symbol && (t.text == "{" || t.text == ";"):
			return k, t.text == "{" || k == i || d.lang.group != "js"
		case t.kind == symbol && t.text == "=>":
			return k, true
		case t.kind == symbol && (t.text == "=" || t.text == "(" && d.lang.group == "c" && !d.is(k-1, "noexcept") && d.find(i, k-i, ":") < 0):
			return k, t.text == "=" && d.lang.group == "c"
		case t.kind == symbol && (t.text == "}" || t.text == ")" && d.lang.group != "c"):
			return 0, false
		}
	}
	return 0, false
}

// constant takes a field whose name is in capitals.
func (d *definer) constant(i int, top block) int {
	t := d.tokens[i]
	if top.what != Type && d.lang.group != "c" || t.text != strings.ToUpper(t.text) || len(t.text) < 3 || !d.is(i+1, "=") || d.tok(i-1).kind == symbol && d.tok(i-1).text != ">" && d.tok(i-1).text != "]" {
		return 0
	}
	def := d.add(i, Constant, top.scope)
	def.end = d.lineEnd(i)
	def.marked = true
	return i + 1
}
