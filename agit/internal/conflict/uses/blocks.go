package uses

import (
	"slices"
	"strings"
	"sync"
)

// block is what stands between braces.
type block struct {
	what  What // Type, Module, Function; "" for any other
	scope string
	def   int // index of the definition that it belongs to, -1 for none
	enum  bool
}

// pending is what the next brace opens.
type pending struct {
	block
	set bool
}

// byBraces is for languages that put braces around what belongs together.
func (d *definer) byBraces() {
	var next pending
	group := "" // the keyword of a list in parentheses, of Go
	for i := 0; i < len(d.tokens); i++ {
		t := d.tokens[i]
		if t.inside {
			continue
		}
		if t.kind == symbol {
			switch t.text {
			case "{":
				d.open(i, &next)
			case "}":
				d.close(i)
			case "(", "[":
				d.parens++
			case ")", "]":
				d.parens = max(0, d.parens-1)
				if d.parens == 0 {
					group = ""
				}
			case ";":
				if d.parens == 0 {
					next = pending{}
				}
			}
			continue
		}
		if t.kind != name {
			continue
		}
		outside := d.outside()
		if group != "" && d.parens == 1 && len(d.blocks) == 0 {
			if t.first && d.isName(i) {
				d.add(i, d.lang.keywords[group], "").end = d.lineEnd(i)
			}
			continue
		}
		if d.parens > 0 || !outside {
			continue
		}
		if top := d.top(); top.enum && d.member(i, top) {
			continue
		}
		if d.lang.group == "go" && d.is(i+1, "(") && len(d.blocks) == 0 && (t.text == "const" || t.text == "var" || t.text == "type") {
			group = t.text
			continue
		}
		if to := d.keyword(i, &next); to > 0 {
			i = to - 1
			continue
		}
		if d.lang.typed || d.lang.members {
			if to := d.cStyle(i, &next); to > 0 {
				i = to - 1
			}
		}
	}
	for len(d.blocks) > 0 {
		d.close(len(d.tokens) - 1)
	}
}

func (d *definer) top() block {
	if len(d.blocks) == 0 {
		return block{what: Module, def: -1}
	}
	return d.blocks[len(d.blocks)-1]
}

// outside reports whether the code of no function is around.
func (d *definer) outside() bool {
	what := d.top().what
	return what == Type || what == Module
}

func (d *definer) open(i int, next *pending) {
	b := block{def: -1, scope: d.top().scope}
	switch {
	case next.set && d.parens == 0:
		b = next.block
		*next = pending{}
	case d.lang.group == "c" && d.tok(i-1).kind == quoted && d.is(i-2, "extern"):
		b.what = Module
	}
	d.blocks = append(d.blocks, b)
}

func (d *definer) close(i int) {
	if len(d.blocks) == 0 {
		return
	}
	if b := d.top(); b.def >= 0 {
		d.defs[b.def].end = i + 1
	}
	d.blocks = d.blocks[:len(d.blocks)-1]
	d.parens = 0
}

// keyword takes a definition that begins with one, and returns the index behind what it read.
func (d *definer) keyword(i int, next *pending) int {
	word, scope := d.tokens[i].text, d.top().scope
	if d.lang.group == "rust" && word == "impl" || d.lang.group == "swift" && word == "extension" {
		next.block, next.set = block{what: Type, scope: d.implFor(i + 1), def: -1}, true
		return 0
	}
	if d.lang.group == "rust" && word == "macro_rules" && d.isName(i+2) {
		next.block, next.set = block{scope: scope, def: len(d.defs)}, true
		d.add(i+2, Macro, scope)
		return i + 3
	}
	if d.lang.group == "c" && word == "typedef" {
		return d.typedef(i)
	}
	if d.lang.group == "js" && word == "exports" && d.is(i+1, ".") && d.isName(i+2) && d.is(i+3, "=") {
		d.add(i+2, Constant, scope).end = d.lineEnd(i)
		return i + 4
	}
	what, ok := d.lang.keywords[word]
	if !ok || d.is(i-1, ".") || d.is(i-1, "::") {
		return 0
	}
	at := i + 1
	receiver := ""
	switch d.lang.group {
	case "go":
		if len(d.blocks) > 0 {
			return 0
		}
		if word == "func" && d.is(at, "(") {
			end := d.closing(at)
			if end < 0 {
				return 0
			}
			receiver, at = d.receiver(at+1, end), end+1
		}
	case "js", "php":
		if d.is(at, "*") || d.is(at, "&") || word == "const" && d.is(at, "enum") {
			at++
		}
	case "jvm", "swift":
		if word == "enum" && d.is(at, "class") || word == "case" {
			at++
		}
		at = d.angle(at)
		for d.tok(at).kind == name && d.is(d.angle(at+1), ".") { // a receiver
			at = d.angle(at+1) + 1
		}
	case "rust":
		for d.is(at, "mut") || d.is(at, "fn") || d.is(at, "unsafe") {
			at++
			what = map[bool]What{true: Function, false: what}[d.is(at-1, "fn")]
		}
	case "c":
		if d.is(at, "class") || d.is(at, "struct") {
			at++
		}
		for d.tok(at).kind == name && d.is(at+1, "::") {
			at += 2
		}
	}
	if !d.isName(at) {
		if what == Module {
			next.block, next.set = block{what: Module, scope: scope, def: -1}, true
		}
		return 0
	}
	if d.lang.group == "c" && what == Type && !d.opens(at+1) {
		return 0 // a use: struct name variable
	}
	if what == Constant && d.lang.group != "go" && scope != "" && d.lang.group == "swift" {
		return 0 // a field
	}
	if what == Function && (d.top().what == Type || receiver != "") {
		what = Method
	}
	if receiver != "" {
		scope = receiver
	}
	def := d.add(at, what, scope)
	index := len(d.defs) - 1
	def.end = d.lineEnd(at)
	def.marked = d.is(i-1, "]") || d.lang.group == "js" && what == Constant
	if word == "type" && d.lang.group == "js" && !d.is(d.angle(at+1), "=") {
		d.defs = d.defs[:index]
		return 0
	}
	to := at + 1
	switch what {
	case Function, Method:
		open := d.angle(to)
		if d.lang.group == "go" && d.is(to, "[") {
			open = d.closing(to) + 1
		}
		if d.is(open, "(") {
			to = d.takeParams(def, open)
		}
		next.block, next.set = block{what: Function, scope: scope, def: index}, true
	case Type:
		b := block{what: Type, scope: join(scope, def.name), def: index, enum: word == "enum"}
		if d.lang.group == "go" {
			b.what = "" // fields and methods of interfaces are not told apart
		}
		if open := d.angle(to); d.is(open, "(") && (d.lang.group == "jvm" || d.lang.group == "cs") {
			to = d.takeParams(def, open)
		}
		next.block, next.set = b, true
	case Module:
		if d.lang.group == "rust" && d.is(to, ";") {
			d.defs = d.defs[:index] // names a file
			return 0
		}
		next.block, next.set = block{what: Module, scope: join(scope, def.name), def: index}, true
	case Constant:
		if d.arrow(to) { // a function with a name
			def.what, def.marked = Function, false
			if d.is(to, "=") && d.is(to+1, "async") {
				to++
			}
			open := to + 1
			if d.is(open, "function") {
				for open++; d.is(open, "*") || d.tok(open).kind == name; open++ {
				}
			}
			d.takeParams(def, open)
		}
		*next = pending{}
		return at + 1
	}
	return to
}

// arrow reports whether a function follows in `= (…) =>`.
func (d *definer) arrow(i int) bool {
	if d.lang.group != "js" || !d.is(i, "=") {
		return false
	}
	if d.is(i+1, "async") {
		i++
	}
	if d.is(i+1, "function") {
		return true
	}
	if !d.is(i+1, "(") {
		return false
	}
	end := d.closing(i + 1)
	for k := end + 1; end > 0 && k < end+12; k++ {
		if d.is(k, "=>") {
			return true
		}
	}
	return false
}

// opens reports whether a body follows before the end of a statement.
func (d *definer) opens(i int) bool {
	for k := i; k < i+40 && k < len(d.tokens); k++ {
		switch {
		case d.is(k, "{"):
			return true
		case d.is(k, ";"), d.is(k, ")"), d.is(k, "="), d.is(k, "("), d.is(k, "*"):
			return false
		}
	}
	return false
}

// receiver is the type in `(r *Type[T])` of Go.
func (d *definer) receiver(from, to int) string {
	for k := to - 1; k >= from; k-- {
		if d.is(k, "[") {
			to = k
		}
	}
	for k := to - 1; k >= from; k-- {
		if d.tokens[k].kind == name {
			return d.tokens[k].text
		}
	}
	return ""
}

// implFor is the type that `impl<T> Trait for Type<T> {` is of.
func (d *definer) implFor(i int) string {
	i = d.angle(i)
	found := ""
	for k := i; k < i+60 && k < len(d.tokens) && !d.is(k, "{") && !d.is(k, "where"); k++ {
		if d.is(k, "for") {
			found = ""
		}
		if d.is(k, "<") {
			k = max(k, d.angle(k)-1)
			continue
		}
		if d.isName(k) {
			found = d.tokens[k].text
		}
	}
	return found
}

// typedef takes the name before the semicolon.
func (d *definer) typedef(i int) int {
	depth := 0
	for k := i + 1; k < len(d.tokens) && k < i+2000; k++ {
		switch {
		case d.is(k, "{"), d.is(k, "("):
			depth++
		case d.is(k, "}"), d.is(k, ")"):
			depth--
		case d.is(k, ";") && depth == 0:
			if d.isName(k - 1) {
				d.add(k-1, Type, "").marked = true
			}
			return 0 // what it is made of is read as usual
		}
	}
	return 0
}

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

// cStyle takes a function whose name stands between its type and its parameters.
func (d *definer) cStyle(i int, next *pending) int {
	if !d.isName(i) {
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
	for k := i - 1; d.is(k, "::") && d.tok(k-1).kind == name; k -= 2 {
		scope = join(d.tok(k-1).text, scope)
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
		next.block, next.set = block{what: Function, scope: scope, def: len(d.defs) - 1}, true
	}
	return body
}

// lineHas reports whether a word stands before i in its statement.
func (d *definer) lineHas(i int, word string) bool {
	for k := i - 1; k >= 0 && k > i-8 && !d.is(k, ";") && !d.is(k, "}"); k-- {
		if d.is(k, word) {
			return true
		}
	}
	return false
}

// typeBefore reports whether what stands before a name can be the type of a function.
func (d *definer) typeBefore(i int, top block) bool {
	before := d.tok(i - 1)
	switch {
	case before.kind == symbol && slices.Contains([]string{"*", "&", ">", "]", "::", "~", "?"}, before.text):
		return true
	case before.text == ":" && d.lang.group == "c" && d.accessBefore(i):
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

// accessBefore reports whether `public:` or another such word stands before i.
func (d *definer) accessBefore(i int) bool {
	word := d.tok(i - 2).text
	return word == "public" || word == "private" || word == "protected"
}

// behindParams returns where the body of a function begins, or where its declaration ends.
func (d *definer) behindParams(i int) (body int, ok bool) {
	for k := i; k < i+40 && k < len(d.tokens); k++ {
		t := d.tokens[k]
		if d.lang.members && k > i && (t.first && t.kind == name || t.text == "}" && t.kind == symbol) {
			return k - 1, true // a declaration that the end of its line ends
		}
		switch {
		case t.kind == symbol && (t.text == "{" || t.text == ";"):
			return k, t.text == "{" || k == i || d.lang.group != "js"
		case t.kind == symbol && t.text == "=>":
			return k, true
		case t.kind == symbol && (t.text == "=" || t.text == "(" && d.lang.group == "c" && !d.is(k-1, "noexcept") && !d.colonBefore(i, k)):
			return 0, t.text == "=" && d.lang.group == "c"
		case t.kind == symbol && (t.text == "}" || t.text == ")" && d.lang.group != "c"):
			return 0, false
		}
	}
	return 0, false
}

// colonBefore reports whether a list of initialisers of C++ began.
func (d *definer) colonBefore(from, to int) bool {
	for k := from; k < to; k++ {
		if d.is(k, ":") {
			return true
		}
	}
	return false
}

// constant takes a field in capitals.
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
