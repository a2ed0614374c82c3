package manifest

// parseZon reads build.zig.zon: .name, .version, and the packages in .dependencies by the names that the build uses.
func parseZon(d *draft, text string) {
	t := (&lexer{text: text, lineComment: "//"}).run()
	d.unclosed(t)
	depth, inside, local := 0, false, false
	dep := ""
	finish := func() {
		d.add(Dependency{Name: dep, Local: local})
		dep, local = "", false
	}
	for i := range t {
		switch {
		case t[i].kind == punctToken && t[i].text == "{":
			depth++
		case t[i].kind == punctToken && t[i].text == "}":
			depth--
			if depth == 2 && inside {
				finish()
			}
			inside = inside && depth > 1
		case t[i].kind == punctToken && t[i].text == ".":
			key, at := zonName(t, i+1)
			if key == "" || at+1 >= len(t) || t[at].text != "=" {
				continue
			}
			switch {
			case depth == 1 && key == "dependencies":
				inside = t[at+1].text == "."
			case depth == 1 && key == "name":
				d.Name = zonValue(t, at+1)
			case depth == 1 && key == "version":
				d.Version = zonValue(t, at+1)
			case depth == 2 && inside:
				dep = key
			case depth == 3 && inside && key == "path":
				local = true
			}
		}
	}
}

// zonName returns the field name behind a dot, name or @"name", and the token after it.
func zonName(t []token, i int) (name string, next int) {
	switch {
	case i < len(t) && t[i].kind == nameToken:
		return t[i].text, i + 1
	case i+1 < len(t) && t[i].text == "@" && t[i+1].kind == stringToken:
		return t[i+1].text, i + 2
	}
	return "", i
}

// zonValue returns a string or an enum literal.
func zonValue(t []token, i int) string {
	if t[i].kind == stringToken {
		return t[i].text
	}
	if t[i].text != "." {
		return ""
	}
	name, _ := zonName(t, i+1)
	return name
}
