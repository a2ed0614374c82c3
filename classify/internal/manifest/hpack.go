package manifest

// parseHpack reads package.yaml, from which a Cabal file is made. Other files have that name too: one whose packages do not need base is
// ignored.
func parseHpack(d *draft, text string) {
	var all []inherited
	haskell := false
	for l := range yamlLines(text) {
		if !l.item || len(l.keys) == 0 || l.keys[len(l.keys)-1] != "dependencies" || l.isKey && l.key != "name" {
			continue
		}
		for name := range names(yamlScalar(l.value)) {
			haskell = haskell || name == "base"
			one := inherited{name: name}
			if l.under("tests") || l.under("benchmarks") {
				one.group = Dev
			}
			all = append(all, one)
			break
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
