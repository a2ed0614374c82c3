package manifest

import (
	"path"
	"strings"
)

// parseNimble reads NAME.nimble without running it: its requirements, in Nim's own syntax or in the older one of an INI file.
func parseNimble(d *draft, text string) {
	t := hashTokens(text)
	d.Name = strings.TrimSuffix(path.Base(d.Path), ".nimble")
	for i := 0; i+1 < len(t); i++ {
		if t[i].kind != nameToken {
			continue
		}
		switch word := strings.ToLower(t[i].text); word {
		case "version", "description":
			if i+2 >= len(t) || t[i+1].text != "=" && t[i+1].text != ":" || t[i+2].kind != stringToken {
				continue
			}
			if word == "version" {
				setOnce(&d.Version, t[i+2].text)
			} else {
				setOnce(&d.Description, clean(unescaped(t[i+2].text)))
			}
		case "requires":
			i = d.nimRequires(t, i+1, Runtime)
		case "taskrequires": // the task first
			for i++; i < len(t) && t[i].kind == punctToken && t[i].text != ","; i++ {
			}
			i = d.nimRequires(t, i+1, Dev)
		}
	}
}

// nimRequires reads the strings of a list from a token on, and returns the last token of it.
func (d *draft) nimRequires(t []token, i int, group Group) int {
	for ; i < len(t); i++ {
		switch {
		case t[i].kind == stringToken:
			for item := range strings.SplitSeq(t[i].text, ",") {
				if name := nimName(item); name != "" && name != "nim" && name != "nimrod" {
					d.named(group, name)
				}
			}
			if i+1 >= len(t) || t[i+1].text != "," {
				return i
			}
		case t[i].kind != punctToken || !strings.Contains("(,:=@[", t[i].text):
			return i - 1
		}
	}
	return i
}

// nimName returns the package of a requirement: "jester >= 0.5", "jester#head", "https://host/owner/jester.git@#head". Nim ignores case and
// underscores in names.
func nimName(item string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(item), "#")
	if end := strings.IndexAny(name, " \t<>=^~["); end >= 0 {
		name = name[:end]
	}
	name = strings.TrimSuffix(strings.TrimRight(name, "@/"), ".git")
	name = name[strings.LastIndexByte(name, '/')+1:]
	if base, _, ok := strings.Cut(name, "?"); ok { // ?subdir=src
		name = strings.TrimSuffix(base, ".git")
	}
	return strings.ReplaceAll(strings.ToLower(name), "_", "")
}
