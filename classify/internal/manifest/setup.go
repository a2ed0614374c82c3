package manifest

import (
	"cmp"
	"strings"
)

// parseSetupCfg reads setup.cfg, setuptools' declarative file: an INI file whose lists are indented lines.
func parseSetupCfg(d *draft, text string) {
	section, key, number := "", "", 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
			continue
		case trimmed[0] == '[' && strings.HasSuffix(trimmed, "]"):
			section, key = strings.TrimSpace(trimmed[1:len(trimmed)-1]), ""
			continue
		}
		value := trimmed
		if line[0] != ' ' && line[0] != '\t' {
			i := strings.IndexAny(line, "=:")
			if i < 0 {
				continue
			}
			key, value = strings.ReplaceAll(strings.TrimSpace(line[:i]), "-", "_"), strings.TrimSpace(line[i+1:])
		}
		d.setupField(section, key, value, number)
	}
}

func (d *draft) setupField(section, key, value string, line int) {
	if value == "" {
		return
	}
	value, _, _ = strings.Cut(value, " #")
	if section == "options.extras_require" {
		d.setupRequirements(pythonGroup(key, Optional), value, line)
		return
	}
	switch section + " " + key {
	case "metadata name":
		d.Name = value
	case "metadata version":
		d.Version = value
	case "metadata description", "metadata summary":
		setOnce(&d.Description, clean(value))
	case "options install_requires":
		if file, ok := strings.CutPrefix(value, "file:"); ok {
			d.include(d.Path, strings.TrimSpace(file), Runtime, line)
			return
		}
		d.setupRequirements(Runtime, value, line)
	case "options tests_require":
		d.setupRequirements(Dev, value, line)
	case "options setup_requires":
		d.setupRequirements(Build, value, line)
	}
}

func (d *draft) setupRequirements(group Group, list string, line int) {
	for requirement := range strings.SplitSeq(list, ";") {
		if pythonName(strings.TrimSpace(requirement)) == "" || strings.Contains(list, "python_version") || strings.Contains(list, "sys_platform") {
			requirement = list // a marker follows the semicolon, not another requirement
		}
		d.python(group, requirement, line)
		if requirement == list {
			return
		}
	}
}

// A setup.py with more lists, or longer ones, was not written by a person.
const (
	maxLists = 500
	maxItems = 4_000
)

// A setupReader has the tokens of a setup.py and the end of each bracket.
type setupReader struct {
	d      *draft
	tokens []token
	closes []int // by the token of an opening bracket; 0 for none
	lists  map[string]int
	read   int // lists read so far
}

// parseSetupPy reads the literals in setup.py, without running it: the keyword arguments of setup() whose values are strings, lists of
// strings, or names to which such a list is assigned.
func parseSetupPy(d *draft, text string) {
	r := &setupReader{d: d, tokens: hashTokens(text), lists: map[string]int{}}
	d.unclosed(r.tokens)
	r.match()
	t := r.tokens
	for i := 0; i+2 < len(t); i++ {
		if t[i].kind == nameToken && t[i+1].text == "=" && (i == 0 || t[i-1].text != ".") && r.closes[i+2] > 0 {
			r.lists[t[i].text] = i + 2
		}
	}
	for i := 0; i+2 < len(t); i++ {
		if t[i].kind == nameToken && t[i+1].text == "=" && t[i+1].kind == punctToken {
			r.argument(t[i].text, i+2)
		}
	}
	r.files()
	d.foreign = !r.calls()
}

// calls reports whether the file calls setup(), or imports its definition: a module of a program may have the name setup.py too.
func (r *setupReader) calls() bool {
	for i, t := range r.tokens {
		if t.kind != nameToken {
			continue
		}
		switch t.text {
		case "setuptools", "distutils", "skbuild":
			return true
		case "setup":
			if i+1 < len(r.tokens) && r.tokens[i+1].text == "(" && (i == 0 || r.tokens[i-1].text != "def") {
				return true
			}
		}
	}
	return false
}

// match finds the closing bracket of each opening one.
func (r *setupReader) match() {
	r.closes = make([]int, len(r.tokens))
	var open []int
	for i, t := range r.tokens {
		switch nesting(t) {
		case 1:
			open = append(open, i)
		case -1:
			if len(open) > 0 {
				r.closes[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		}
	}
}

// argument reads a keyword argument whose value begins at a token.
func (r *setupReader) argument(key string, value int) {
	d := r.d
	switch key {
	case "name":
		d.Name = cmp.Or(d.Name, r.literal(value))
	case "version":
		d.Version = cmp.Or(d.Version, r.literal(value))
	case "description":
		d.Description = cmp.Or(d.Description, clean(r.literal(value)))
	case "install_requires", "requires":
		r.list(Runtime, value)
	case "tests_require":
		r.list(Dev, value)
	case "setup_requires":
		r.list(Build, value)
	case "extras_require":
		r.extras(value)
	case "rust_extensions":
		d.speaks("Rust", "setup.py rust_extensions")
	}
}

// literal returns a string joined with adjacent ones, as Python does; "" for anything else.
func (r *setupReader) literal(i int) string {
	text := ""
	for ; i < len(r.tokens) && r.tokens[i].kind == stringToken && len(text) < 1000; i++ {
		text += r.tokens[i].text
	}
	return text
}

// items returns the tokens of the bracket at i, or of the one that the name there refers to.
func (r *setupReader) items(i int) (from, to int) {
	if i < len(r.tokens) && r.tokens[i].kind == nameToken {
		at, ok := r.lists[r.tokens[i].text]
		if !ok {
			return 0, 0
		}
		i = at
	}
	if i >= len(r.tokens) || r.closes[i] == 0 {
		return 0, 0
	}
	return i + 1, min(r.closes[i], i+maxItems)
}

// list adds the strings of a list, and of lists that are added to it.
func (r *setupReader) list(group Group, i int) {
	if r.read++; r.read > maxLists {
		return
	}
	from, to := r.items(i)
	for j := from; j < to; j++ {
		t := r.tokens[j]
		if t.kind != stringToken || j+1 < len(r.tokens) && r.tokens[j+1].text == ":" {
			continue
		}
		for line := range strings.SplitSeq(t.text, "\n") {
			name := pythonName(strings.TrimSpace(line))
			if name != "" && !strings.HasSuffix(name, ".txt") && !strings.HasSuffix(name, ".in") {
				r.d.pythonNamed(group, name, false)
			}
		}
		if len(r.d.Dependencies) >= maxDependencies {
			return
		}
	}
	next := i + 1
	if i < len(r.tokens) && r.closes[i] > 0 {
		next = r.closes[i] + 1
	}
	if next+1 < len(r.tokens) && r.tokens[next].text == "+" && r.tokens[next].kind == punctToken {
		r.list(group, next+1)
	}
}

// extras adds the lists of a dict, whose keys name their purposes.
func (r *setupReader) extras(i int) {
	from, to := r.items(i)
	for j := from; j+2 < to; j++ {
		if r.tokens[j].kind == stringToken && r.tokens[j+1].text == ":" {
			r.list(pythonGroup(r.tokens[j].text, Optional), j+2)
			if closing := r.closes[j+2]; closing > j {
				j = closing
			}
		}
	}
}

// files reads the requirements that a setup.py reads from a file beside it: open("requirements.txt").
func (r *setupReader) files() {
	for _, t := range r.tokens {
		if t.kind != stringToken || len(r.d.Includes) >= 5 || len(t.text) > 100 {
			continue
		}
		if kind, ok := KindOf(t.text); !ok || kind != Requirements {
			continue
		}
		if file, ok := beside(r.d.Path, t.text); ok {
			if _, wrong := load(r.d.fsys, file); wrong == "" {
				r.d.include(r.d.Path, t.text, pythonGroup(t.text, Runtime), t.line)
			}
		}
	}
}
