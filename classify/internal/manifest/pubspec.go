package manifest

import "strings"

// parsePubspec reads pubspec.yaml: Dart's packages, and Flutter's, which come from its SDK.
func parsePubspec(d *draft, text string) {
	section := ""
	var dep *Dependency
	finish := func() {
		if dep != nil {
			d.add(*dep)
			dep = nil
		}
	}
	var description []string
	for number, line := range strings.Split(text, "\n") {
		content := strings.TrimRight(yamlUncomment(line), " \t\r")
		trimmed := strings.TrimLeft(content, " ")
		if trimmed == "" {
			continue
		}
		indent := len(content) - len(trimmed)
		if strings.HasPrefix(trimmed, "\t") {
			d.problem(number+1, "is indented with a tab")
			trimmed = strings.TrimLeft(trimmed, "\t ")
		}
		if indent == 0 && !strings.HasPrefix(trimmed, "- ") {
			finish()
			key, value, ok := yamlKey(trimmed)
			if !ok {
				if trimmed != "---" && trimmed != "..." && !strings.HasPrefix(trimmed, "%") {
					d.problem(number+1, "has a line that is neither a key nor inside one")
				}
				continue
			}
			section = key
			switch key {
			case "name":
				d.Name = yamlScalar(value)
			case "version":
				d.Version = yamlScalar(value)
			case "description":
				if value != "" && value[0] != '>' && value[0] != '|' { // else it is folded over lines
					description = append(description, value)
				}
			case "flutter":
				d.uses("flutter")
			}
			continue
		}
		switch section {
		case "description":
			description = append(description, trimmed)
		case "workspace":
			if item, ok := strings.CutPrefix(trimmed, "- "); ok {
				d.workspace(yamlScalar(item))
			}
		case "dependencies", "dev_dependencies":
			key, value, ok := yamlKey(trimmed)
			if !ok {
				continue
			}
			if indent <= 2 || dep == nil {
				finish()
				dep = &Dependency{Name: strings.ToLower(key)}
				if section == "dev_dependencies" {
					dep.Group = Dev
				}
				if strings.HasPrefix(value, "{") && strings.Contains(value, "path:") {
					dep.Local = true
				}
			} else if key == "path" && indent <= 4 {
				dep.Local = true
			}
		}
	}
	finish()
	d.Description = clean(yamlScalar(strings.Join(description, " ")))
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
