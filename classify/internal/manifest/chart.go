package manifest

import "strings"

// parseChart reads the Chart.yaml of a Helm chart: its name, its description, and the charts that it installs with it.
func parseChart(d *draft, text string) {
	d.Name, d.Version = yamlTop(text, "name"), yamlTop(text, "version")
	d.property("type", yamlTop(text, "type"))
	section := ""
	var description []string
	for line := range strings.SplitSeq(text, "\n") {
		content := strings.TrimRight(yamlUncomment(line), " \t")
		trimmed := strings.TrimLeft(content, " ")
		key, value, isKey := yamlKey(strings.TrimLeft(trimmed, "- "))
		switch {
		case trimmed == "":
		case isKey && trimmed == content && !strings.HasPrefix(trimmed, "- "):
			if section = key; key == "description" && value != "" && !strings.ContainsAny(value[:1], ">|") { // else it is folded over lines
				description = append(description, value)
			}
		case section == "description":
			description = append(description, trimmed)
		case section == "dependencies" && isKey && key == "name":
			d.named(Runtime, yamlScalar(value))
		}
	}
	d.Description = clean(yamlScalar(strings.Join(description, " ")))
	if d.Name == "" {
		d.problem(0, "does not name its chart")
	}
}
