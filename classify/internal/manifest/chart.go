package manifest

import "strings"

// parseChart reads the Chart.yaml of a Helm chart: its name, what it says of itself, and the charts that it installs with it.
func parseChart(d *draft, text string) {
	section := ""
	var description []string
	for number, line := range strings.Split(text, "\n") {
		content := strings.TrimRight(yamlUncomment(line), " \t")
		trimmed := strings.TrimLeft(content, " ")
		if trimmed == "" {
			continue
		}
		if len(trimmed) == len(content) && !strings.HasPrefix(trimmed, "- ") {
			key, value, ok := yamlKey(trimmed)
			if !ok {
				if !strings.HasPrefix(trimmed, "---") && trimmed != "..." && section != "description" {
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
			case "type":
				d.property("type", yamlScalar(value))
			case "description":
				if value != "" && value[0] != '>' && value[0] != '|' { // else it is folded over lines
					description = append(description, value)
				}
			}
			continue
		}
		switch section {
		case "description":
			description = append(description, trimmed)
		case "dependencies":
			if key, value, ok := yamlKey(strings.TrimLeft(trimmed, "- ")); ok && key == "name" {
				d.named(Runtime, yamlScalar(value))
			}
		}
	}
	d.Description = clean(yamlScalar(strings.Join(description, " ")))
	if d.Name == "" {
		d.problem(0, "does not name its chart")
	}
}
