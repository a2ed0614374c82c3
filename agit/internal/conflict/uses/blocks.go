package uses

// block is a pair of braces with what they belong to.
type block struct {
	what  What // Type, Module, Function; "" for any other
	scope string
	def   int // index of the definition that it belongs to, -1 for none
	enum  bool
}

// byBraces finds definitions in languages that put braces around blocks.
func (d *definer) byBraces() {
	group := "" // in Go: the keyword before a list in parentheses
	for i := 0; i < len(d.tokens); i++ {
		t := d.tokens[i]
		if t.inside {
			continue
		}
		if t.kind == symbol {
			switch t.text {
			case "{":
				d.open(i)
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
					d.next = nil
				}
			}
			continue
		}
		if t.kind != name {
			continue
		}
		if group != "" && d.parens == 1 && len(d.blocks) == 0 {
			if t.first && d.isName(i) {
				d.add(i, d.lang.keywords[group], "").end = d.lineEnd(i)
			}
			continue
		}
		if what := d.top().what; d.parens > 0 || what != Type && what != Module {
			continue // inside a function
		}
		if top := d.top(); top.enum && d.member(i, top) {
			continue
		}
		if d.lang.group == "go" && d.is(i+1, "(") && len(d.blocks) == 0 && (t.text == "const" || t.text == "var" || t.text == "type") {
			group = t.text
			continue
		}
		if to := d.keyword(i); to > 0 {
			i = to - 1
			continue
		}
		if d.lang.typed || d.lang.members {
			if to := d.cStyle(i); to > 0 {
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

func (d *definer) open(i int) {
	b := block{def: -1, scope: d.top().scope}
	switch {
	case d.next != nil && d.parens == 0:
		b, d.next = *d.next, nil
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
