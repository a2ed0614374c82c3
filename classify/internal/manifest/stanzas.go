package manifest

import (
	"strings"
	"unicode"
)

// parseCabal reads NAME.cabal: the package's name and synopsis, and the dependencies of its library and programs, separate from those of
// its tests and benchmarks.
func parseCabal(d *draft, text string) {
	group := Runtime
	for key, value := range stanzas(text, "--") {
		if value == "" {
			switch stanza, _, _ := strings.Cut(key, " "); stanza {
			case "test-suite", "benchmark":
				group = Dev
			case "library", "executable", "common", "foreign-library":
				group = Runtime
			}
		}
		switch key {
		case "name":
			setOnce(&d.Name, value)
		case "version":
			setOnce(&d.Version, value)
		case "synopsis":
			setOnce(&d.Description, clean(value))
		case "build-depends":
			for name := range names(value) {
				if name != "base" && name != d.Name {
					d.named(group, name)
				}
			}
		}
	}
}

// parseRDescription reads an R package's DESCRIPTION. Other files have that name too: one without a Package field is ignored.
func parseRDescription(d *draft, text string) {
	groups := map[string]Group{"imports": Runtime, "depends": Runtime, "linkingto": Build, "suggests": Dev}
	for key, value := range stanzas(text, "") {
		switch key {
		case "package":
			d.Name = value
		case "version":
			d.Version = value
		case "title":
			d.Description = clean(value)
		}
		if group, ok := groups[key]; ok {
			for name := range names(value) {
				if name != "R" {
					d.named(group, name)
				}
			}
		}
	}
}

// parseOpam reads NAME.opam, whose package is in the folder of that name if it exists.
func parseOpam(d *draft, text string) {
	t := hashTokens(text)
	base := d.Path[strings.LastIndexByte(d.Path, '/')+1:]
	if name, ok := strings.CutSuffix(base, ".opam"); ok {
		d.Name, d.Members = name, []string{name}
	}
	inside := false
	for i := 0; i+2 < len(t); i++ {
		switch {
		case t[i].text == "name" && t[i+1].text == ":" && t[i+2].kind == stringToken && !inside:
			setOnce(&d.Name, t[i+2].text)
		case t[i].text == "synopsis" && t[i+1].text == ":" && t[i+2].kind == stringToken:
			d.Description = clean(t[i+2].text)
		case t[i].kind == nameToken && t[i+1].text == ":" && t[i+2].text == "[":
			inside = t[i].text == "depends"
		case t[i].text == "]":
			inside = false
		case inside && t[i].text == "{":
			for i+2 < len(t) && t[i].text != "}" {
				i++
			}
		case inside && t[i].kind == stringToken:
			if t[i].text != "ocaml" && t[i].text != d.Name {
				d.named(opamGroup(t[i+1:]), t[i].text)
			}
		}
	}
}

// opamGroup reads the filter behind a dependency: {>= "1.0" & with-test}.
func opamGroup(t []token) Group {
	if len(t) == 0 || t[0].text != "{" {
		return Runtime
	}
	for i, tok := range t {
		switch {
		case tok.text == "}":
			return Runtime
		case tok.text == "with" && i+2 < len(t) && t[i+1].text == "-":
			return Dev
		case tok.text == "build" && tok.kind == nameToken:
			return Build
		}
	}
	return Runtime
}

// parseJuliaProject reads Project.toml; one without a name only lists the packages of an environment.
func parseJuliaProject(d *draft, text string) {
	root := d.tomlTable(text)
	d.Name, d.Version, d.Description = root.str("name"), root.str("version"), clean(root.str("desc"))
	for _, folder := range root.sub("workspace").strs("projects") {
		d.workspace(folder)
	}
	for i, key := range [...]string{"deps", "weakdeps", "extras"} {
		for name := range root.sub(key).sorted() {
			d.named([...]Group{Runtime, Optional, Dev}[i], name)
		}
	}
}

// stanzas yields the fields of a text of "Key: value" lines, with keys in lower case. Values continue in lines with deeper indentation; a
// line without a colon is yielded without a value.
func stanzas(text, comment string) func(yield func(key, value string) bool) {
	return func(yield func(key, value string) bool) {
		key, depth := "", 0
		var value []string
		done := func() bool {
			ok := key == "" || yield(key, strings.Join(value, " "))
			key, value = "", nil
			return ok
		}
		for line := range strings.Lines(text) {
			bare := strings.TrimSpace(line)
			if bare == "" || comment != "" && strings.HasPrefix(bare, comment) {
				continue
			}
			indent := len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
			if key != "" && indent > depth {
				value = append(value, bare)
				continue
			}
			if !done() {
				return
			}
			name, rest, ok := strings.Cut(bare, ":")
			if !ok {
				if !yield(strings.ToLower(bare), "") {
					return
				}
				continue
			}
			key, depth = strings.ToLower(strings.TrimSpace(name)), indent
			if rest = strings.TrimSpace(rest); rest != "" {
				value = append(value, rest)
			}
		}
		done()
	}
}

// names yields the packages of a list with versions: "aeson >=2 && <3, text".
func names(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for item := range strings.SplitSeq(list, ",") {
			item = strings.TrimSpace(item)
			end := strings.IndexFunc(item, func(r rune) bool { return !(isWord(r) || r == '-' || r == '.') })
			if end >= 0 {
				item = item[:end]
			}
			if item = strings.Trim(item, "-."); item != "" && !yield(item) {
				return
			}
		}
	}
}

// setOnce keeps the first value: later stanzas have fields of the same name.
func setOnce(field *string, value string) {
	if *field == "" {
		*field = value
	}
}
