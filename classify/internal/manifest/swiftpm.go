package manifest

import (
	"path"
	"slices"
	"strings"
)

// parsePackageSwift reads Package.swift without running it: the package's name, and its dependencies by the last part of their address, as
// SwiftPM identifies them.
func parsePackageSwift(d *draft, text string) {
	t := gradleTokens(text)
	d.unclosed(t)
	t = slices.DeleteFunc(t, func(t token) bool { return t.kind == newlineToken })
	for i := 0; i+3 < len(t); i++ {
		if t[i].kind != nameToken || t[i+1].text != "(" {
			continue
		}
		switch {
		case t[i].text == "Package" && d.Name == "":
			if t[i+2].text == "name" && i+4 < len(t) && t[i+4].kind == stringToken {
				d.Name = t[i+4].text
			}
		case t[i].text == "package" && i > 0 && t[i-1].text == ".":
			for j := i + 2; j+2 < len(t) && t[j].text != ")"; j++ {
				if t[j].kind != nameToken || t[j+1].text != ":" || t[j+2].kind != stringToken {
					continue
				}
				address := t[j+2].text
				name := strings.ToLower(strings.TrimSuffix(path.Base(strings.TrimSuffix(address, "/")), ".git"))
				switch t[j].text {
				case "url":
					d.named(Runtime, name)
				case "path":
					d.add(Dependency{Name: name, Local: true})
				case "id": // of a registry: scope.name
					if _, after, ok := strings.Cut(name, "."); ok {
						d.named(Runtime, after)
					}
				}
			}
		}
	}
}
