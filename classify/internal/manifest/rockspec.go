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
			value := t[i+2]
			switch t[i].text {
			case "package":
				if value.kind == stringToken {
					setOnce(&d.Name, value.text)
				}
			case "version":
				if value.kind == stringToken {
					setOnce(&d.Version, value.text)
				}
			case "summary":
				if value.kind == stringToken {
					setOnce(&d.Description, clean(unescaped(value.text)))
				}
			case "dependencies", "build_dependencies", "test_dependencies":
				if value.kind == punctToken && value.text == "{" {
					group, depth = Runtime, 1
					switch t[i].text {
					case "build_dependencies":
						group = Build
					case "test_dependencies":
						group = Dev
					}
					i += 2
				}
			}
		}
	}
}

// unescaped returns a string without the escapes of its quotes.
func unescaped(s string) string { return strings.NewReplacer(`\'`, "'", `\"`, `"`).Replace(s) }
