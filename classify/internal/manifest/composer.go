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
		name := strings.ToLower(strings.TrimSpace(dep.key))
		if !composerPlatform(name) {
			d.named(group, name)
		}
	}
}

// composerPlatform reports whether a name is a pseudo-package that stands for PHP, its extensions, system libraries or Composer itself.
func composerPlatform(name string) bool {
	switch name {
	case "php", "hhvm", "composer", "composer-plugin-api", "composer-runtime-api":
		return true
	}
	// Real packages have a vendor; only ext-, lib- and php- (php-64bit) have none, and some extensions are misspelt without.
	return !strings.Contains(name, "/")
}

// composerRepositories takes the path repositories as members of a workspace: composer reads each folder that the glob matches.
func (d *draft) composerRepositories(f field) {
	var entries []field
	switch {
	case len(f.value) > 0 && f.value[0] == '{':
		entries = d.members(f)
	default:
		for _, raw := range rawList(f.value) {
			entries = append(entries, field{value: raw})
		}
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
			d.Workspace = true
			d.Members = append(d.Members, strings.TrimPrefix(url, "./"))
		}
	}
}
