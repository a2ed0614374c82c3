package manifest

import "strings"

// parseComposer reads composer.json.
func parseComposer(d *draft, text string) {
	for _, f := range d.object(text, true) {
		switch f.key {
		case "name":
			d.Name = strings.ToLower(str(f.value))
		case "description":
			d.Description = clean(str(f.value))
		case "version":
			d.Version = str(f.value)
		case "type":
			d.property("type", str(f.value))
		case "require":
			d.composerRequire(f, Runtime)
		case "require-dev":
			d.composerRequire(f, Dev)
		case "repositories":
			d.composerRepositories(f)
		}
	}
}

func (d *draft) composerRequire(f field, group Group) {
	for _, dep := range d.members(f) {
		// Real packages have a vendor; PHP, its extensions, system libraries and Composer itself have none.
		if name := strings.ToLower(strings.TrimSpace(dep.key)); strings.Contains(name, "/") {
			d.named(group, name)
		}
	}
}

// composerRepositories takes the path repositories as members of a workspace: composer reads each folder that the glob matches.
func (d *draft) composerRepositories(f field) {
	var entries []field
	for _, raw := range rawList(f.value) {
		entries = append(entries, field{value: raw})
	}
	if len(f.value) > 0 && f.value[0] == '{' {
		entries = d.members(f)
	}
	for _, entry := range entries {
		if len(entry.value) == 0 || entry.value[0] != '{' {
			continue // "packagist.org": false
		}
		kind, url := "", ""
		for _, m := range d.members(entry) {
			switch m.key {
			case "type":
				kind = str(m.value)
			case "url":
				url = str(m.value)
			}
		}
		if kind == "path" && url != "" {
			d.workspace(strings.TrimPrefix(url, "./"))
		}
	}
}
