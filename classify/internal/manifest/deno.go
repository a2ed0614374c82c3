package manifest

import "strings"

// parseDeno reads deno.json, deno.jsonc and the import maps beside them.
func parseDeno(d *draft, text string) {
	d.speaks("TypeScript", d.Path)
	o := d.object(text, false)
	d.Name, d.Version = o.str("name"), o.str("version")
	for _, entry := range d.members(o.at("imports")) {
		d.denoImport(entry.key, str(entry.value))
	}
	d.globs(o.at("workspace"), "members")
	for _, task := range d.members(o.at("tasks")) {
		d.property("scripts."+task.key, str(task.value))
	}
}

// denoImport adds the target of an import map entry: npm:, jsr: or a URL of deno.land and its mirrors.
func (d *draft) denoImport(alias, target string) {
	alias = strings.TrimSuffix(alias, "/")
	switch protocol, rest, _ := strings.Cut(target, ":"); protocol {
	case "npm":
		name := npmName(strings.TrimPrefix(rest, "/"))
		if !strings.HasPrefix(name, "@") {
			name, _, _ = strings.Cut(name, "/")
		}
		d.add(Dependency{Name: name, Alias: alias})
	case "jsr":
		if name := npmName(strings.TrimPrefix(rest, "/")); name != "" {
			d.add(Dependency{Name: "jsr:" + name, Alias: alias})
		}
	case "https":
		d.add(Dependency{Name: DenoModule(target), Alias: alias})
	}
}

// DenoModule returns the module of a URL of deno.land or of an npm mirror: "deno.land/x/oak" for https://deno.land/x/oak@v12/mod.ts,
// "preact" for https://esm.sh/preact@10, "" for others.
func DenoModule(url string) string {
	rest := strings.TrimPrefix(url, "https://")
	if module, ok := strings.CutPrefix(rest, "deno.land/x/"); ok {
		return "deno.land/x/" + upTo(module, "@/")
	}
	if strings.HasPrefix(rest, "deno.land/std") {
		return ""
	}
	for _, mirror := range []string{"esm.sh/", "cdn.skypack.dev/", "unpkg.com/", "cdn.jsdelivr.net/npm/"} {
		if module, ok := strings.CutPrefix(rest, mirror); ok {
			module = strings.TrimLeft(module, "*")
			if strings.HasPrefix(module, "@") {
				scope, name, _ := strings.Cut(module, "/")
				return scope + "/" + upTo(name, "@/?")
			}
			return upTo(module, "@/?")
		}
	}
	if parts := strings.Split(rest, "/"); parts[0] == "jsr.io" && len(parts) >= 3 {
		return "jsr:" + parts[1] + "/" + parts[2]
	}
	return ""
}
