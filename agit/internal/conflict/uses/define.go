package uses

import (
	"hash/fnv"
	"slices"
	"strings"
)

// definition is a name that a file defines.
type definition struct {
	name     string
	what     What
	scope    string // the types and modules around it, joined with dots
	line     int32
	at       int // index of its name among the tokens
	end      int // index behind its last token
	params   []param
	called   bool // it has parameters
	body     uint64
	marked   bool // it follows an annotation or a condition: not compared with definitions of the same name
	declared bool // a declaration without a body, of a definition elsewhere
	hidden   bool // only its own file can use it
}

type param struct {
	text     string // all its tokens
	name     string
	optional bool // has a default, or is variadic
}

// parsed is a file as tokens.
type parsed struct {
	path   string
	lang   *language
	text   string
	tokens []token
	defs   []definition
	names  map[string]int // how often each name stands in its code
}

// maxText bounds the size of files that are read: larger ones are generated.
const maxText = 1 << 20

// parse reads a file; a file of no known language has no tokens.
func parse(path, text string) *parsed {
	f := &parsed{path: path, lang: languageOf(path), text: text}
	if f.lang == nil || len(text) > maxText {
		return f
	}
	l := &lexer{text: text, family: f.lang.family, line: 1, fresh: true, tokens: make([]token, 0, len(text)/6)}
	l.run()
	f.tokens = l.tokens
	f.names = make(map[string]int, len(f.tokens)/4)
	for _, t := range f.tokens {
		if t.kind == name {
			f.names[t.text]++
		}
	}
	d := &definer{parsed: f}
	switch f.lang.shape {
	case indents:
		d.byIndent()
	case statements:
		d.byStatement()
	default:
		d.byBraces()
	}
	d.macros()
	for i := range f.defs {
		f.defs[i].body = d.hash(&f.defs[i])
	}
	return f
}

type definer struct {
	*parsed
	blocks []block
	next   *block // that the next brace opens, if that is known
	parens int
}

// tok returns a token, or an empty symbol outside the text.
func (d *definer) tok(i int) token {
	if i < 0 || i >= len(d.tokens) {
		return token{kind: symbol}
	}
	return d.tokens[i]
}

func (d *definer) is(i int, text string) bool {
	t := d.tok(i)
	return t.kind <= number && t.text == text || t.kind == symbol && t.text == text
}

// find returns the index of the first of up to most tokens from i that has one of some texts, or -1.
func (d *definer) find(i, most int, texts ...string) int {
	for k := i; k < i+most && k < len(d.tokens); k++ {
		if slices.ContainsFunc(texts, func(text string) bool { return d.is(k, text) }) {
			return k
		}
	}
	return -1
}

// isName reports whether the token can be the name of a definition.
func (d *definer) isName(i int) bool {
	t := d.tok(i)
	return t.kind == name && !isReserved(t.text) && !t.inside
}

// closing returns the index of the bracket that closes the one at i, or -1.
func (d *definer) closing(i int) int {
	depth := 0
	for k := i; k < len(d.tokens) && k < i+4000; k++ {
		if d.tokens[k].kind != symbol {
			continue
		}
		switch d.tokens[k].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return -1
}

// angle returns the index behind a list in angle brackets that may begin at i.
func (d *definer) angle(i int) int {
	if !d.is(i, "<") {
		return i
	}
	depth := 0
	for k := i; k < len(d.tokens) && k < i+200; k++ {
		switch {
		case d.is(k, "<"):
			depth++
		case d.is(k, ">"):
			if depth--; depth == 0 {
				return k + 1
			}
		case d.is(k, "{"), d.is(k, ";"):
			return i
		}
	}
	return i
}

func (d *definer) add(at int, what What, scope string) *definition {
	t := d.tokens[at]
	d.defs = append(d.defs, definition{name: t.text, what: what, scope: scope, line: t.line, at: at, end: at + 1})
	return &d.defs[len(d.defs)-1]
}

// takeParams reads a parameter list whose bracket is at i, and returns the index behind it.
func (d *definer) takeParams(def *definition, i int) int {
	end := d.closing(i)
	if !d.is(i, "(") || end < 0 {
		return i
	}
	def.called = true
	def.params = d.paramsBetween(i+1, end)
	if len(def.params) > 0 && (d.lang.group == "python" && def.what == Method || d.lang.group == "rust") {
		first := strings.Fields(def.params[0].text)
		if n := first[len(first)-1]; n == "self" || n == "cls" {
			def.params = def.params[1:]
		}
	}
	if len(def.params) == 1 && def.params[0].text == "void" {
		def.params = nil
	}
	return end + 1
}

func (d *definer) paramsBetween(from, to int) (all []param) {
	depth, start := 0, from
	take := func(end int) {
		if end > start {
			all = append(all, d.paramOf(start, end))
		}
		start = end + 1
	}
	for k := from; k < to; k++ {
		if d.tokens[k].kind != symbol {
			continue
		}
		switch d.tokens[k].text {
		case "(", "[", "{", "<":
			depth++
		case ")", "]", "}", ">":
			depth--
		case ",":
			if depth == 0 {
				take(k)
			}
		}
	}
	take(to)
	return all
}

func (d *definer) paramOf(from, to int) (p param) {
	parts := make([]string, 0, to-from)
	value := false
	for k := from; k < to; k++ {
		t := d.tokens[k]
		if t.kind == symbol && t.text == "=" {
			p.optional, value = true, true
		}
		if t.kind == symbol && (t.text == "?" && d.lang.group == "js" || t.text == "*" && d.lang.group == "python" || t.text == "..." || t.text == "." && k+2 < to && d.is(k+1, ".") && d.is(k+2, ".")) {
			p.optional = true
		}
		if t.kind == name && !value && (p.name == "" || d.lang.typed || d.lang.group == "php" || d.modifier(p.name)) {
			p.name = t.text
		}
		if !value {
			parts = append(parts, t.text)
		}
	}
	if d.lang.group == "python" && (d.is(from, "*") || d.is(from, "/")) && to == from+1 {
		p.optional = true
	}
	p.text = strings.ReplaceAll(strings.Join(parts, " "), "interface { }", "any")
	return p
}

// modifier reports whether a word may stand before the name of a parameter.
func (d *definer) modifier(word string) bool {
	switch d.lang.group {
	case "js", "jvm", "rust":
		_, is := modifiers()[word]
		return is || word == "val" || word == "var" || word == "vararg" || word == "mut"
	}
	return false
}

// hash sums up a definition without its name, so that it is recognized under another name.
func (d *definer) hash(def *definition) uint64 {
	if def.end-def.at < 4 {
		return 0
	}
	h := fnv.New64a()
	for _, t := range d.tokens[def.at+1 : min(def.end, len(d.tokens))] {
		text := t.text
		if t.kind == name && text == def.name {
			text = "\x00"
		}
		h.Write([]byte(text))
		h.Write([]byte{1})
	}
	return h.Sum64()
}

// macros finds the definitions of the C preprocessor.
func (d *definer) macros() {
	if d.lang.group != "c" {
		return
	}
	for i := range d.tokens {
		if d.tokens[i].first && d.is(i, "#") && d.is(i+1, "define") && d.tok(i+2).kind == name {
			def := d.add(i+2, Macro, "")
			def.marked = true
			def.end = d.lineEnd(i + 2)
		}
	}
}

// lineEnd returns the index behind the last token of a line.
func (d *definer) lineEnd(i int) int {
	end := i + 1
	for end < len(d.tokens) && d.tokens[end].line == d.tokens[i].line {
		end++
	}
	return end
}

// byStatement finds definitions in languages where a definition begins a statement.
func (d *definer) byStatement() {
	for i, t := range d.tokens {
		if t.kind != name || t.inside {
			continue
		}
		switch d.lang.group {
		case "shell":
			if t.first && d.is(i+1, "(") && d.is(i+2, ")") && !isReserved(t.text) {
				d.add(i, Function, "").end = d.lineEnd(i)
			} else if t.first && t.text == "function" && d.isName(i+1) {
				d.add(i+1, Function, "").end = d.lineEnd(i)
			}
		case "sql":
			d.sqlStatement(i)
		default:
			what, ok := d.lang.keywords[t.text]
			if !ok || !t.first && !d.is(i-1, "local") {
				continue
			}
			at := i + 1
			for d.tok(at).kind == name && (d.is(at+1, ".") || d.is(at+1, ":")) && d.tok(at+2).kind == name {
				at += 2
			}
			if !d.isName(at) {
				continue
			}
			def := d.add(at, what, "")
			def.marked = d.lang.overloads
			d.takeParams(def, at+1)
			def.end = d.lineEnd(at)
		}
	}
}

// sqlStatement takes `create [or replace …] KIND [if not exists] [schema.]name`.
func (d *definer) sqlStatement(i int) {
	if d.tokens[i].text != "create" {
		return
	}
	for k := i + 1; k < i+6; k++ {
		what, ok := d.lang.keywords[d.tok(k).text]
		if !ok {
			continue
		}
		at := k + 1
		for slices.Contains([]string{"if", "not", "exists"}, d.tok(at).text) {
			at++
		}
		if d.is(at+1, ".") {
			at += 2
		}
		if d.tok(at).kind == name {
			def := d.add(at, what, "")
			def.marked = true
			def.end = d.lineEnd(at)
		}
		return
	}
}

// byIndent finds definitions in languages that mark blocks by indentation.
func (d *definer) byIndent() {
	type level struct {
		indent int16
		def    int // index of its definition
	}
	var open []level
	closeTo := func(indent int16, at int) {
		for len(open) > 0 && indent <= open[len(open)-1].indent {
			if def := &d.defs[open[len(open)-1].def]; def.end <= def.at+1 || at > def.end {
				def.end = at
			}
			open = open[:len(open)-1]
		}
	}
	parens := 0
	for i, t := range d.tokens {
		if t.kind == symbol && !t.inside {
			switch t.text {
			case "(", "[", "{":
				parens++
			case ")", "]", "}":
				parens = max(0, parens-1)
			}
		}
		if !t.first || parens > 0 && !(d.lang.keywords[t.text] != "" && t.indent == 0) || t.kind == symbol && t.text != "@" {
			continue
		}
		parens = 0
		if t.text == "end" {
			continue
		}
		closeTo(t.indent, i)
		at := i
		for slices.Contains([]string{"async", "private", "protected", "public"}, d.tok(at).text) && at < i+2 {
			at++
		}
		scope, inFunction := "", false
		for _, l := range open {
			def := &d.defs[l.def]
			inFunction = inFunction || def.what == Function || def.what == Method
			scope = join(scope, def.name)
		}
		what, ok := d.lang.keywords[d.tok(at).text]
		if !ok || d.tok(at).kind != name {
			d.assigned(at, scope, inFunction)
			continue
		}
		at++
		for d.is(at+1, ".") && (d.is(at, "self") || d.tok(at).kind == name) || d.is(at+1, "::") {
			at += 2
		}
		if t := d.tok(at); t.kind != name {
			continue
		}
		if what == Function && scope != "" {
			what = Method
		}
		def := d.add(at, what, scope)
		d.takeParams(def, at+1)
		def.hidden = inFunction
		def.marked = d.decorated(i) || t.indent > 0 && len(open) == 0 || len(open) > 0 && t.indent > open[len(open)-1].indent+4
		open = append(open, level{t.indent, len(d.defs) - 1})
	}
	closeTo(-1, len(d.tokens))
}

// decorated reports whether the line before begins with an annotation.
func (d *definer) decorated(i int) bool {
	if i == 0 {
		return false
	}
	k := i - 1
	for k > 0 && !(d.tokens[k].first && d.tokens[k].indent <= d.tokens[i].indent) {
		k--
	}
	return d.is(k, "@")
}

// assigned finds names that are assigned at the top level of a file or, if they are constants, in a class.
func (d *definer) assigned(at int, scope string, inFunction bool) {
	t := d.tok(at)
	if inFunction || !d.isName(at) || !t.first || len(t.text) < 3 {
		return
	}
	if !d.is(at+1, "=") && !(d.is(at+1, ":") && d.tok(at+2).line == t.line && d.lang.group == "python") {
		return
	}
	constant := t.text == strings.ToUpper(t.text)
	if t.indent > 0 && !constant || d.lang.group == "ruby" && (t.text[0] < 'A' || t.text[0] > 'Z') {
		return
	}
	def := d.add(at, Constant, scope)
	def.marked = true
	def.end = d.lineEnd(at)
}

func join(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}
