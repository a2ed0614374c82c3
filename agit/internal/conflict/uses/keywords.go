package uses

// keyword reads a definition that begins with a keyword, and returns the index behind it.
func (d *definer) keyword(i int) int {
	word, scope := d.tokens[i].text, d.top().scope
	if d.lang.group == "rust" && word == "impl" || d.lang.group == "swift" && word == "extension" {
		d.next = &block{what: Type, scope: d.implFor(i + 1), def: -1}
		return 0
	}
	if d.lang.group == "rust" && word == "macro_rules" && d.isName(i+2) {
		d.next = &block{scope: scope, def: len(d.defs)}
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
	if !ok || d.is(i-1, ".") || d.is(i-1, "::") || d.is(i-1, "using") || d.is(i-1, "use") { // `using namespace a`, `use function a`
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
		if word == "const" && d.is(at, "enum") {
			return 0 // the next keyword begins the definition
		}
		if d.is(at, "*") || d.is(at, "&") {
			at++
		}
	case "jvm", "swift":
		if word == "enum" && d.is(at, "class") || word == "case" {
			at++
		}
		at = d.angle(at)
		for behind := d.angle(at + 1); d.tok(at).kind == name && (d.is(behind, ".") || d.is(behind, "?.")); behind = d.angle(at + 1) { // a receiver
			at = behind + 1
		}
	case "rust":
		for d.is(at, "mut") || d.is(at, "fn") || d.is(at, "unsafe") {
			if d.is(at, "fn") {
				what = Function
			}
			at++
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
			d.next = &block{what: Module, scope: scope, def: -1}
		}
		return 0
	}
	if d.lang.group == "c" && what == Type && !d.is(d.find(at+1, 40, "{", ";", ")", "=", "(", "*"), "{") {
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
		d.next = &block{what: Function, scope: scope, def: index}
	case Type:
		b := block{what: Type, scope: join(scope, def.name), def: index, enum: word == "enum"}
		if d.lang.group == "go" {
			b.what = "" // fields and interface methods are not distinguished
		}
		if open := d.angle(to); d.is(open, "(") && (d.lang.group == "jvm" || d.lang.group == "cs") {
			to = d.takeParams(def, open)
		}
		d.next = &b
	case Module:
		if d.lang.group == "rust" && d.is(to, ";") {
			d.defs = d.defs[:index] // names a file
			return 0
		}
		d.next = &block{what: Module, scope: join(scope, def.name), def: index}
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
		d.next = nil
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
	return end > 0 && d.find(end+1, 11, "=>") >= 0
}

// receiver returns the type in `(r *Type[T])` of Go.
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

// implFor returns the Type in `impl<T> Trait for Type<T> {` and in `extension Type: Trait {`.
func (d *definer) implFor(i int) string {
	i = d.angle(i)
	found := ""
	for k := i; k < i+60 && k < len(d.tokens) && !d.is(k, "{") && !d.is(k, "where") && !d.is(k, ":"); k++ {
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
