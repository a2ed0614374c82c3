package manifest

import "strings"

// parseComposer reads composer.json.
func parseComposer(d *draft, text string) {
	o := d.object(text, true)
	d.Name, d.Version, d.Description = strings.ToLower(o.str("name")), o.str("version"), clean(o.str("description"))
	d.property("type", o.str("type"))
	d.composerRequire(o.at("require"), Runtime)
	d.composerRequire(o.at("require-dev"), Dev)
	d.composerRepositories(o.at("repositories"))
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
	var entries object
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
		if o := d.members(entry); o.str("type") == "path" && o.str("url") != "" {
			d.workspace(strings.TrimPrefix(o.str("url"), "./"))
		}
	}
}
