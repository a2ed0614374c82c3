package manifest

import (
	"path"
	"strings"
)

// A form is a piece of Clojure data: a string, a symbol or keyword, or a bracket with its content.
type form struct {
	kind rune // '"' for a string, 'a' for a symbol, keyword or number, else the opening bracket
	text string
	in   []form
}

// maxForms bounds the memory for a hostile file; build files have some hundreds of forms.
const maxForms = 100_000

// An ednReader reads data without evaluating any of it.
type ednReader struct {
	text   string
	pos    int
	forms  int
	closed bool // every bracket was closed
}

// forms returns the data of a text; a bracket that is not closed is reported.
func (d *draft) forms(text string) []form {
	r := &ednReader{text: text, closed: true}
	all := r.until(0, 0)
	if !r.closed {
		d.problem(0, "ends inside a bracket or a string that is not closed")
	}
	return all
}

// until reads the forms up to a closing bracket, 0 for the end of the text.
func (r *ednReader) until(end byte, depth int) (all []form) {
	discard := 0
	keep := func(f form) {
		if discard > 0 {
			discard--
			return
		}
		all = append(all, f)
	}
	for r.pos < len(r.text) && r.forms < maxForms {
		c := r.text[r.pos]
		switch {
		case c <= ' ' || c == ',' || c == '\'' || c == '`' || c == '~' || c == '@' || c == '^':
			r.pos++
		case c == ';':
			r.skipLine()
		case strings.HasPrefix(r.text[r.pos:], "#_"):
			r.pos += 2
			discard++
		case c == '#' && r.pos+1 < len(r.text) && strings.IndexByte(`"({?'`, r.text[r.pos+1]) >= 0:
			r.pos++ // a pattern, a function or a set: the rest is read as usual
		case c == '"':
			keep(r.string())
		case c == '(' || c == '[' || c == '{':
			r.pos++
			r.forms++
			if depth == maxNesting {
				r.pos = len(r.text)
				r.closed = false
				return all
			}
			keep(form{kind: rune(c), in: r.until(closingOf(c), depth+1)})
		case c == ')' || c == ']' || c == '}':
			r.pos++
			if c == end {
				return all
			}
		default:
			start := r.pos
			if c == '\\' {
				r.pos++ // a character may be a bracket
			}
			for r.pos++; r.pos < len(r.text) && !strings.ContainsRune(" \t\r\n,;\"()[]{}", rune(r.text[r.pos])); r.pos++ {
			}
			r.pos = min(r.pos, len(r.text))
			r.forms++
			keep(form{kind: 'a', text: r.text[start:r.pos]})
		}
	}
	r.closed = r.closed && end == 0
	return all
}

func closingOf(open byte) byte { return ")]}"[strings.IndexByte("([{", open)] }

func (r *ednReader) skipLine() {
	line, _, _ := strings.Cut(r.text[r.pos:], "\n")
	r.pos += len(line)
}

func (r *ednReader) string() form {
	r.forms++
	start := r.pos + 1
	for r.pos++; r.pos < len(r.text) && r.text[r.pos] != '"'; r.pos++ {
		if r.text[r.pos] == '\\' {
			r.pos++
		}
	}
	end := min(r.pos, len(r.text))
	r.closed = r.closed && end < len(r.text)
	r.pos = end + 1
	return form{kind: '"', text: strings.ReplaceAll(r.text[start:end], `\"`, `"`)}
}

// value returns the form behind a keyword in a map or a list of pairs, a form of no kind when there is none.
func value(pairs []form, key string) form {
	for i := 0; i+1 < len(pairs); i++ {
		if pairs[i].kind == 'a' && pairs[i].text == key {
			return pairs[i+1]
		}
	}
	return form{}
}

// clojureName writes group/artifact as Maven does; for a single name, both are that name.
func clojureName(symbol string) string {
	group, artifact, ok := strings.Cut(symbol, "/")
	if !ok {
		artifact = group
	}
	artifact, _, _ = strings.Cut(artifact, "$") // a classifier
	if group == "" || artifact == "" {
		return ""
	}
	return group + ":" + artifact
}

// parseProjectClj reads Leiningen's project.clj: name, description, dependencies, those of profiles and plugins, and the folders of its
// sub-projects.
func parseProjectClj(d *draft, text string) {
	for _, f := range d.forms(text) {
		if f.kind != '(' || len(f.in) < 2 || f.in[0].text != "defproject" {
			continue
		}
		_, d.Name, _ = strings.Cut(clojureName(f.in[1].text), ":")
		if len(f.in) > 2 && f.in[2].kind == '"' {
			d.Version = f.in[2].text
		}
		d.Description = clean(value(f.in, ":description").text)
		d.leiningen(value(f.in, ":dependencies"), Runtime)
		d.leiningen(value(f.in, ":plugins"), Plugin)
		profiles := value(f.in, ":profiles").in
		for i := 1; i < len(profiles); i += 2 {
			d.leiningen(value(profiles[i].in, ":dependencies"), Dev)
		}
		for _, folders := range []form{value(f.in, ":sub"), value(value(f.in, ":modules").in, ":dirs"), value(value(f.in, ":monolith").in, ":project-dirs")} {
			for _, folder := range folders.in {
				if folder.kind == '"' {
					d.workspace(folder.text)
				}
			}
		}
	}
	d.speaks("Clojure", "project.clj")
}

// leiningen adds the dependencies of a vector: [[group/artifact "1.0" :scope "test"] …].
func (d *draft) leiningen(all form, group Group) {
	for _, one := range all.in {
		if one.kind != '[' || len(one.in) == 0 || one.in[0].kind != 'a' {
			continue
		}
		in := group
		if scope := value(one.in, ":scope").text; group == Runtime && scope == "test" {
			in = Dev
		} else if group == Runtime && scope == "provided" {
			in = Peer
		}
		d.named(in, clojureName(one.in[0].text))
	}
}

// parseDepsEdn reads deps.edn: the runtime dependencies, those that aliases add, and the local folders among both.
func parseDepsEdn(d *draft, text string) {
	forms := d.forms(text)
	if len(forms) == 0 || forms[0].kind != '{' {
		return
	}
	d.depsEdn(value(forms[0].in, ":deps"), Runtime)
	aliases := value(forms[0].in, ":aliases").in
	for i := 1; i < len(aliases); i += 2 {
		for _, key := range []string{":extra-deps", ":deps", ":replace-deps"} {
			d.depsEdn(value(aliases[i].in, key), Dev)
		}
	}
	if dir := path.Base(path.Dir(d.Path)); dir != "." {
		d.Name = dir // it has no name of its own
	}
	d.speaks("Clojure", "deps.edn")
}

// depsEdn adds the dependencies of a map: {group/artifact {:mvn/version "1.0"} …}.
func (d *draft) depsEdn(all form, group Group) {
	for i := 0; i+1 < len(all.in); i += 2 {
		dep := Dependency{Name: clojureName(all.in[i].text), Group: group}
		if root := value(all.in[i+1].in, ":local/root"); root.kind == '"' {
			dep.Local = true
			if !strings.HasPrefix(root.text, "..") && root.text != "." && !strings.HasSuffix(root.text, ".jar") {
				d.workspace(root.text)
			}
		}
		d.add(dep)
	}
}
