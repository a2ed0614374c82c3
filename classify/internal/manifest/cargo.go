package manifest

import "strings"

// parseCargo reads Cargo.toml: a package, a workspace, or both.
func parseCargo(d *draft, text string) {
	root := d.tomlTable(text)
	pkg := root.sub("package")
	if pkg == nil {
		pkg = root.sub("project") // before Cargo 1.0
	}
	d.Name, d.Version, d.Description = pkg.str("name"), pkg.str("version"), clean(pkg.str("description"))
	for _, key := range [...]string{"version", "description"} {
		if pkg.sub(key).yes("workspace") {
			d.fromWorkspace = append(d.fromWorkspace, key)
		}
	}
	on := defaultFeatures(root.sub("features"))
	d.cargoGroups(root, on)
	for _, platform := range root.sub("target").sorted() {
		d.cargoGroups(asTable(platform), on)
	}
	if ws, ok := root["workspace"]; ok {
		workspace := asTable(ws)
		d.Workspace = true
		d.Members = append(workspace.strs("members"), d.Members...)
		for _, dir := range workspace.strs("exclude") {
			d.Members = append(d.Members, "!"+dir)
		}
		d.shared = workspace.sub("package")
		if pkg == nil { // the members' description is the whole's
			d.Description = clean(d.shared.str("description"))
		}
		d.table = map[string]string{}
		for name, spec := range workspace.sub("dependencies").sorted() {
			dep := cargoDependency(name, spec, Managed)
			d.table[name] = dep.Name
			d.add(dep)
		}
	}
	if root.sub("lib").yes("proc-macro") {
		d.property("lib.proc-macro", "yes")
	}
	for _, kind := range root.sub("lib").strs("crate-type") {
		d.property("lib."+kind, "yes")
	}
}

// defaultFeatures returns the features that are enabled by default, with their optional dependencies, by name.
func defaultFeatures(features table) map[string]bool {
	on := map[string]bool{}
	next := []string{"default"}
	for len(next) > 0 && len(on) < maxDependencies {
		name := strings.TrimPrefix(next[0], "dep:")
		next = next[1:]
		if on[name] {
			continue
		}
		on[name] = true
		next = append(next, features.strs(name)...)
	}
	return on
}

func (d *draft) cargoGroups(t table, on map[string]bool) {
	for _, kind := range []struct {
		key   string
		group Group
	}{
		{"dependencies", Runtime},
		{"dev-dependencies", Dev},
		{"dev_dependencies", Dev},
		{"build-dependencies", Build},
		{"build_dependencies", Build},
	} {
		for name, spec := range t.sub(kind.key).sorted() {
			group := kind.group
			if group == Runtime && asTable(spec).yes("optional") && !on[name] {
				group = Optional
			}
			if asTable(spec).yes("workspace") {
				d.inherited = append(d.inherited, inherited{name, group})
				continue
			}
			d.add(cargoDependency(name, spec, group))
			if dir := asTable(spec).str("path"); dir != "" && !strings.Contains(dir, "..") && (t.sub("workspace") != nil || !strings.Contains(d.Path, "/")) {
				d.Members = append(d.Members, dir) // the root package's path dependencies are members
			}
		}
	}
}

// cargoDependency returns the crate's real name: package = "…" renames it.
func cargoDependency(name string, spec any, group Group) Dependency {
	t := asTable(spec)
	dep := Dependency{Name: strings.TrimSpace(name), Group: group, Local: t.str("path") != ""}
	if real := t.str("package"); real != "" {
		dep.Name, dep.Alias = real, dep.Name
	}
	return dep
}
