package manifest

import "strings"

// parseRockspec reads NAME-VERSION.rockspec without running it: package, summary and the lists of its dependencies.
func parseRockspec(d *draft, text string) {
	t := (&lexer{text: text, lineComment: "--", long: true}).run()
	d.unclosed(t)
	depth := 0 // inside a list of dependencies, which may contain others for each platform
	group := Runtime
	for i := 0; i < len(t); i++ {
		switch {
		case depth > 0 && t[i].kind == punctToken && t[i].text == "{":
			depth++
		case depth > 0 && t[i].kind == punctToken && t[i].text == "}":
			depth--
		case depth > 0 && t[i].kind == stringToken:
			if words := strings.Fields(strings.ToLower(t[i].text)); len(words) > 0 {
				if name := strings.TrimRight(words[0], "<>=~!"); name != "lua" {
					d.named(group, name)
				}
			}
		case depth == 0 && t[i].kind == nameToken && i+2 < len(t) && t[i+1].text == "=":
			of, list := rockGroups[t[i].text]
			switch key, value := t[i].text, t[i+2]; {
			case key == "package" && value.kind == stringToken:
				setOnce(&d.Name, value.text)
			case key == "version" && value.kind == stringToken:
				setOnce(&d.Version, value.text)
			case key == "summary" && value.kind == stringToken:
				setOnce(&d.Description, clean(unescaped(value.text)))
			case list && value.kind == punctToken && value.text == "{":
				group, depth = of, 1
				i += 2
			}
		}
	}
}

var rockGroups = map[string]Group{"dependencies": Runtime, "build_dependencies": Build, "test_dependencies": Dev}

// unescaped returns a string without the escapes of its quotes.
func unescaped(s string) string { return strings.NewReplacer(`\'`, "'", `\"`, `"`).Replace(s) }
