package manifest

import (
	"cmp"
	"strings"
)

// parseMix reads mix.exs without running it: the application's name and description, the dependencies written out in deps, and the
// folder of an umbrella's applications.
func parseMix(d *draft, text string) {
	t := hashTokens(text)
	d.unclosed(t)
	attributes := map[string]string{}
	for i := 0; i+2 < len(t); i++ {
		switch {
		case t[i].text == "@" && t[i+1].kind == nameToken && t[i+2].kind == stringToken:
			attributes[t[i+1].text] = t[i+2].text
		case t[i].kind == nameToken && t[i+1].text == ":" && t[i+2].kind == stringToken:
			switch t[i].text {
			case "apps_path":
				d.workspace(strings.Trim(t[i+2].text, "/") + "/*")
			case "description":
				d.Description = clean(t[i+2].text)
			}
		case t[i].kind == nameToken && t[i].text == "app" && t[i+1].text == ":" && t[i+2].text == ":" && i+3 < len(t) && d.Name == "":
			d.Name = t[i+3].text
		}
	}
	if d.Description == "" {
		d.Description = clean(cmp.Or(attributes["description"], returned(t, "description")))
	}
	d.Version = attributes["version"]
	inside := false
	for i := 0; i+3 < len(t); i++ {
		if t[i].kind == nameToken && (t[i].text == "def" || t[i].text == "defp") {
			inside = strings.HasSuffix(t[i+1].text, "deps")
		}
		if inside && t[i].text == "{" && t[i+1].text == ":" && t[i+2].kind == nameToken && t[i+3].text == "," {
			i = d.mixDependency(t, i+2)
		}
	}
}

// returned returns the string that a function of the project consists of: defp description do "…" end.
func returned(t []token, name string) string {
	for i := 0; i+4 < len(t); i++ {
		if !(t[i].text == "def" || t[i].text == "defp") || t[i+1].text != name {
			continue
		}
		for _, next := range t[i+2 : min(i+8, len(t))] {
			switch {
			case next.kind == stringToken:
				return next.text
			case next.text == "end", next.text == "def", next.text == "defp":
				return ""
			}
		}
	}
	return ""
}

// mixDependency reads {:name, "~> 1.0", only: [:dev, :test]} from its name on, and returns where it ends.
func (d *draft) mixDependency(t []token, at int) int {
	dep := Dependency{Name: t[at].text}
	depth, i := 1, at+1
	for ; i < len(t) && depth > 0; i++ {
		switch {
		case t[i].text == "{" || t[i].text == "[":
			depth++
		case t[i].text == "}" || t[i].text == "]":
			depth--
		}
		if t[i].kind != nameToken || i+2 >= len(t) || t[i+1].text != ":" || depth != 1 {
			continue
		}
		switch key, value := t[i].text, t[i+2].text; {
		case key == "path", key == "in_umbrella":
			dep.Local = true
		case key == "optional" && value == "true" && dep.Group == Runtime:
			dep.Group = Optional
		case key == "runtime" && value == "false" && dep.Group == Runtime:
			dep.Group = Build
		case key == "only":
			dep.Group = Dev
			for j := i + 2; j < len(t) && j < i+20 && t[j].text != "]" && t[j].text != "}"; j++ {
				if t[j].text == "prod" {
					dep.Group = Runtime
				}
				if t[i+2].text != "[" && t[j].kind == nameToken {
					break
				}
			}
		}
	}
	d.add(dep)
	return i - 1
}

// unclosed reports whether a program text ends inside a bracket, because the file was cut off.
func (d *draft) unclosed(t []token) {
	var open []token
	for _, tok := range t {
		switch nesting(tok) {
		case 1:
			open = append(open, tok)
		case -1:
			if len(open) == 0 {
				return // not the result of a cut, and brackets in strings may be misread
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		d.problem(open[len(open)-1].line, "ends inside a %q that is not closed", open[len(open)-1].text)
	}
}
