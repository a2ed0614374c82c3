package manifest

import "strings"

// parsePackageJSON reads package.json as npm, pnpm, yarn and bun share it.
func parsePackageJSON(d *draft, text string) {
	json5 := strings.HasSuffix(d.Path, ".json5")
	for _, f := range d.object(text, !json5) {
		switch f.key {
		case "name":
			d.Name = str(f.value)
		case "description":
			d.Description = clean(str(f.value))
		case "version":
			d.Version = str(f.value)
		case "dependencies":
			d.npmDependencies(f, Runtime)
		case "devDependencies":
			d.npmDependencies(f, Dev)
		case "optionalDependencies":
			d.npmDependencies(f, Optional)
		case "peerDependencies":
			d.npmDependencies(f, Peer)
		case "workspaces":
			d.npmWorkspaces(f)
		case "engines":
			for _, engine := range d.members(f) {
				d.property("engines."+engine.key, str(engine.value))
			}
		case "scripts":
			for _, script := range d.members(f) {
				d.property("scripts."+script.key, str(script.value))
			}
		case "bin":
			d.property("bin", "yes")
		case "types", "typings":
			d.speaks("TypeScript", "package.json declares types")
		case "contributes":
			d.property("contributes", "yes") // an editor extension
		}
	}
	for _, dep := range d.Dependencies {
		if dep.Name == "typescript" {
			d.speaks("TypeScript", "dependency typescript")
		}
	}
}

func (d *draft) npmDependencies(f field, group Group) {
	for _, dep := range d.members(f) {
		d.npmDependency(dep.key, str(dep.value), group)
	}
}

// npmDependency adds a dependency by the name it is imported under and what is asked for: a range, or a protocol that may name
// another package.
func (d *draft) npmDependency(name, spec string, group Group) {
	dep := Dependency{Name: strings.TrimSpace(name), Group: group}
	protocol, rest, found := strings.Cut(spec, ":")
	if found {
		switch protocol {
		case "npm", "workspace":
			if real := npmName(rest); real != "" {
				dep.Name, dep.Alias = real, dep.Name
			}
		case "jsr":
			dep.Alias = dep.Name
			if real := npmName(rest); real != "" {
				dep.Name = "jsr:" + real
			} else {
				dep.Name = "jsr:" + dep.Name
			}
		}
		switch protocol {
		case "workspace", "file", "link", "portal":
			dep.Local = true
		}
	}
	if mirrored, ok := strings.CutPrefix(dep.Name, "@jsr/"); ok { // npm's view of JSR
		if scope, name, ok := strings.Cut(mirrored, "__"); ok {
			dep.Name = "jsr:@" + scope + "/" + name
		}
	}
	d.add(dep)
}

// npmName is the package of "name@range" or "@scope/name@range", "" when there is only a range.
func npmName(spec string) string {
	at := strings.Index(spec[min(1, len(spec)):], "@")
	name := spec
	if at >= 0 {
		name = spec[:at+1]
	}
	scoped := strings.HasPrefix(name, "@") && strings.Contains(name, "/")
	if !scoped && (name == "" || strings.ContainsAny(name[:1], "^~*<>=.@0123456789") || strings.ContainsAny(name, " |/")) {
		return ""
	}
	if name == "latest" || name == "next" || name == "workspace" {
		return ""
	}
	return name
}

// npmWorkspaces reads the list of globs, or yarn's and bun's object around it.
func (d *draft) npmWorkspaces(f field) {
	d.Workspace = true
	if len(f.value) > 0 && f.value[0] == '{' {
		for _, member := range d.members(f) {
			if member.key == "packages" {
				d.Members = append(d.Members, strs(member.value)...)
			}
		}
		return
	}
	d.Members = append(d.Members, strs(f.value)...)
}

// parsePnpmWorkspace reads the packages of pnpm-workspace.yaml; its catalogues hold versions only.
func parsePnpmWorkspace(d *draft, text string) {
	d.Workspace = true
	for _, item := range yamlLists(text) {
		if item.key == "packages" && item.depth == 1 {
			d.Members = append(d.Members, item.value)
		}
	}
}

// parseDeno reads deno.json, deno.jsonc and the import maps beside them.
func parseDeno(d *draft, text string) {
	d.speaks("TypeScript", d.Path)
	for _, f := range d.object(text, false) {
		switch f.key {
		case "name":
			d.Name = str(f.value)
		case "version":
			d.Version = str(f.value)
		case "imports":
			for _, entry := range d.members(f) {
				d.denoImport(entry.key, str(entry.value))
			}
		case "workspace":
			d.Workspace = true
			if len(f.value) > 0 && f.value[0] == '{' {
				for _, member := range d.members(f) {
					if member.key == "members" {
						d.Members = append(d.Members, strs(member.value)...)
					}
				}
			} else {
				d.Members = append(d.Members, strs(f.value)...)
			}
		case "tasks":
			for _, task := range d.members(f) {
				d.property("scripts."+task.key, str(task.value))
			}
		}
	}
}

// denoImport adds what an import map entry loads: npm:, jsr: or a URL of deno.land and its mirrors.
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

// DenoModule is the module of a URL of deno.land or of an npm mirror: "deno.land/x/oak" for
// https://deno.land/x/oak@v12/mod.ts, "preact" for https://esm.sh/preact@10, "" for others.
func DenoModule(url string) string {
	rest := strings.TrimPrefix(url, "https://")
	if module, ok := strings.CutPrefix(rest, "deno.land/x/"); ok {
		name := upTo(module, "@/")
		return "deno.land/x/" + name
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
	if strings.HasPrefix(rest, "jsr.io/") {
		parts := strings.Split(strings.TrimPrefix(rest, "jsr.io/"), "/")
		if len(parts) >= 2 {
			return "jsr:" + parts[0] + "/" + parts[1]
		}
	}
	return ""
}

// upTo is s before the first of the characters.
func upTo(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}
