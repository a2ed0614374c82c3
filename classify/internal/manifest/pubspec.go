package manifest

import "strings"

// parsePubspec reads pubspec.yaml: Dart's packages, and Flutter's, which come from its SDK.
func parsePubspec(d *draft, text string) {
	groups := map[string]Group{"dependencies": Runtime, "dev_dependencies": Dev}
	d.Name, d.Version, d.Description = yamlTop(text, "name"), yamlTop(text, "version"), clean(yamlText(text, "description"))
	var dependencies []Dependency
	for l := range yamlLines(text) {
		if l.tab {
			d.problem(l.number, "is indented with a tab")
		}
		if len(l.keys) == 0 {
			if !l.isKey && !l.item && l.text != "..." && !strings.HasPrefix(l.text, "%") {
				d.problem(l.number, "has a line that is neither a key nor inside one")
			}
			if l.top() && l.key == "flutter" {
				d.uses("flutter")
			}
			continue
		}
		group, depends := groups[l.keys[0]]
		switch {
		case l.under("workspace") && l.item && l.value != "":
			d.workspace(yamlScalar(l.value))
		case !depends || !l.isKey:
		case len(l.keys) == 1:
			local := strings.HasPrefix(l.value, "{") && strings.Contains(l.value, "path:")
			dependencies = append(dependencies, Dependency{Name: strings.ToLower(l.key), Group: group, Local: local})
		case len(l.keys) == 2 && l.key == "path":
			dependencies[len(dependencies)-1].Local = true
		}
	}
	for _, dep := range dependencies {
		d.add(dep)
	}
	for _, item := range yamlLists(text) {
		if item.key == "packages" && strings.Contains(text, "\nmelos:") {
			d.workspace(item.value)
		}
	}
}

// parseMelos reads the folders of a Melos workspace.
func parseMelos(d *draft, text string) {
	d.Workspace = true
	d.Name = yamlTop(text, "name")
	for _, item := range yamlLists(text) {
		switch item.key {
		case "packages":
			d.Members = append(d.Members, item.value)
		case "ignore":
			if item.depth == 1 {
				d.Members = append(d.Members, "!"+item.value)
			}
		}
	}
}
