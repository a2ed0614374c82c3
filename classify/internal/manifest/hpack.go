package manifest

import "strings"

// parseHpack reads package.yaml, from which a Cabal file is made. Other files have that name too: one whose packages do not need base is
// ignored.
func parseHpack(d *draft, text string) {
	type named struct {
		name  string
		group Group
	}
	var all []named
	section, key := "", ""
	haskell := false
	for line := range strings.SplitSeq(text, "\n") {
		content := strings.TrimRight(yamlUncomment(line), " \t")
		trimmed := strings.TrimLeft(content, " ")
		if item, ok := strings.CutPrefix(trimmed, "- "); ok {
			if key != "dependencies" {
				continue
			}
			if _, name, ok := strings.Cut(item, "name:"); ok {
				item = name
			}
			for name := range names(yamlScalar(strings.TrimSpace(item))) {
				haskell = haskell || name == "base"
				one := named{name: name}
				if section == "tests" || section == "benchmarks" {
					one.group = Dev
				}
				all = append(all, one)
				break
			}
			continue
		}
		if name, _, ok := yamlKey(trimmed); ok {
			if key = name; trimmed == content {
				section = name
			}
		}
	}
	if !haskell {
		return
	}
	d.Name, d.Version, d.Description = yamlTop(text, "name"), yamlTop(text, "version"), clean(yamlTop(text, "synopsis"))
	for _, one := range all {
		if one.name != "base" && one.name != d.Name {
			d.named(one.group, one.name)
		}
	}
}
