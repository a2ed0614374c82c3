package manifest

// parseChart reads the Chart.yaml of a Helm chart: its name, its description, and the charts that it installs with it.
func parseChart(d *draft, text string) {
	d.Name, d.Version, d.Description = yamlTop(text, "name"), yamlTop(text, "version"), clean(yamlText(text, "description"))
	d.property("type", yamlTop(text, "type"))
	for l := range yamlLines(text) {
		if l.under("dependencies") && l.isKey && l.key == "name" {
			d.named(Runtime, yamlScalar(l.value))
		}
	}
	if d.Name == "" {
		d.problem(0, "does not name its chart")
	}
}
