package manifest

import "strings"

// parseGleam reads gleam.toml; its packages come from Hex.
func parseGleam(d *draft, text string) {
	root := d.tomlTable(text)
	d.Name, d.Version, d.Description = root.str("name"), root.str("version"), clean(root.str("description"))
	d.gleam(root.sub("dependencies"), Runtime)
	for _, key := range [...]string{"dev-dependencies", "dev_dependencies"} {
		d.gleam(root.sub(key), Dev)
	}
}

func (d *draft) gleam(list table, group Group) {
	for name, value := range list.sorted() {
		d.add(Dependency{Ecosystem: Hex, Name: strings.TrimSpace(name), Group: group, Local: asTable(value).str("path") != ""})
	}
}
