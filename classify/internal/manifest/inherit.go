package manifest

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// inherit completes drafts with the definitions in other manifests of the project. drafts are sorted by depth, so that those nearer to the
// root come first.
func inherit(drafts []*draft) {
	byPath := make(map[string]*draft, len(drafts))
	for _, d := range drafts {
		byPath[d.Path] = d
	}
	gradle := newGradleProject(drafts)
	for _, d := range drafts {
		switch d.Kind {
		case CargoTOML:
			d.inheritCargo(byPath)
		case BuildGradle, SettingsGradle:
			gradle.resolve(d)
		case PomXML:
			d.inheritVariables(byPath)
		}
	}
	for _, d := range drafts {
		switch d.Kind {
		case BuildGradle:
			gradle.conventions(d, d, 0)
		case PomXML:
			d.inheritMaven(byPath)
		case DotnetProject:
			d.inheritDotnet(byPath)
		}
	}
	markLocal(drafts)
}

// ancestors returns the folders above a file, its own first, the root "." last.
func ancestors(file string) []string {
	var dirs []string
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == "." || dir == "/" {
			return dirs
		}
	}
}

// inheritCargo looks up {workspace = true} in the nearest workspace.
// https://doc.rust-lang.org/cargo/reference/workspaces.html#the-package-table
func (d *draft) inheritCargo(byPath map[string]*draft) {
	if len(d.inherited)+len(d.fromWorkspace) == 0 {
		return
	}
	for _, dir := range ancestors(d.Path) {
		root := byPath[path.Join(dir, "Cargo.toml")]
		if root == nil || root.table == nil {
			continue
		}
		for _, field := range d.fromWorkspace {
			switch value := root.shared.str(field); field {
			case "version":
				d.Version = value
			case "description":
				d.Description = clean(value)
			}
		}
		for _, use := range d.inherited {
			if real, ok := root.table[use.name]; ok {
				d.add(Dependency{Name: real, Alias: use.name, Group: use.group})
			} else {
				d.problem(0, "inherits %q, which the workspace in %s does not have", use.name, root.Path)
				d.named(use.group, use.name)
			}
		}
		return
	}
	for _, use := range d.inherited {
		d.named(use.group, use.name) // the workspace is elsewhere; its names are nearly always the real ones
	}
}

// inheritVariables completes coordinates with the properties of the parents within the project.
func (d *draft) inheritVariables(byPath map[string]*draft) {
	if len(d.inherited) == 0 {
		return
	}
	variables := map[string]string{}
	d.eachParent(byPath, func(parent *draft) {
		for k, v := range parent.variables {
			if _, ok := variables[k]; !ok {
				variables[k] = v
			}
		}
	})
	maps.Copy(variables, d.variables)
	for _, use := range d.inherited {
		name, _ := expand(use.name, variables)
		if group, _, _ := strings.Cut(name, ":"); !strings.Contains(group, "$") {
			d.named(use.group, name)
		}
	}
}

// eachParent walks the Maven parents within the project, nearest first; a cycle ends.
func (d *draft) eachParent(byPath map[string]*draft, visit func(*draft)) {
	seen := map[string]bool{d.Path: true}
	for p := byPath[d.parent]; p != nil && !seen[p.Path]; p = byPath[p.parent] {
		seen[p.Path] = true
		visit(p)
	}
}

// inheritMaven adds the dependencies and plugins of the parents within the project, which every child has.
func (d *draft) inheritMaven(byPath map[string]*draft) {
	var inherited []Dependency
	d.eachParent(byPath, func(parent *draft) {
		for _, dep := range parent.Dependencies {
			if dep.Group != Managed {
				inherited = append(inherited, dep)
			}
		}
		for _, hint := range parent.Languages {
			d.speaks(hint.Language, hint.Why+" of "+parent.Path)
		}
	})
	for _, dep := range inherited {
		d.add(dep)
	}
}

// A gradleProject is the data that the scripts of a Gradle build share.
type gradleProject struct {
	catalogs map[string][]*draft // by the folder of their build
	scripts  map[string]*draft   // convention plugins by id
	roots    map[string]*draft   // build scripts by folder, for their variables
}

func newGradleProject(drafts []*draft) *gradleProject {
	g := &gradleProject{map[string][]*draft{}, map[string]*draft{}, map[string]*draft{}}
	for _, d := range drafts {
		dir := path.Dir(d.Path)
		switch d.Kind {
		case VersionCatalog:
			if path.Base(dir) == "gradle" {
				dir = path.Dir(dir)
			}
			g.catalogs[dir] = append(g.catalogs[dir], d)
		case SettingsGradle:
			if d.table != nil {
				g.catalogs[dir] = append(g.catalogs[dir], d)
			}
		case BuildGradle:
			if base := path.Base(d.Path); base == "build.gradle" || base == "build.gradle.kts" {
				g.roots[dir] = d
			} else if id := conventionID(d.Path); id != "" {
				g.scripts[id] = d
			}
		}
	}
	return g
}

// conventionID returns the plugin id of a precompiled script: its name, behind the folders of its package.
func conventionID(file string) string {
	for _, sources := range []string{"src/main/kotlin/", "src/main/groovy/"} {
		if _, name, ok := strings.Cut(file, sources); ok {
			name = strings.TrimSuffix(strings.TrimSuffix(name, ".kts"), ".gradle")
			return strings.ReplaceAll(name, "/", ".")
		}
	}
	return ""
}

// resolve looks up libs.a.b, alias(libs.plugins.x) and coordinates with variables of an outer script.
func (g *gradleProject) resolve(d *draft) {
	if len(d.inherited) == 0 {
		return
	}
	variables := g.variables(d)
	for _, use := range d.inherited[:min(len(d.inherited), 2*maxDependencies)] {
		if strings.Contains(use.name, "$") {
			name, _ := expand(use.name, variables)
			if group, _, _ := strings.Cut(name, ":"); !strings.Contains(group, "$") {
				d.named(use.group, name) // the group is known, the artifact at least partly
			}
			continue
		}
		for _, name := range strings.Fields(g.lookUp(d, use.name, variables)) {
			d.named(use.group, name)
			if use.group == Plugin {
				d.gradleLanguage(name)
			}
		}
	}
}

// lookUp returns the dependencies for a dotted reference, several for a bundle, "" when nothing defines it.
func (g *gradleProject) lookUp(d *draft, reference string, variables map[string]string) string {
	for _, method := range []string{".get", ".asProvider", ".toString"} {
		reference = strings.TrimSuffix(reference, method)
	}
	catalog, alias, _ := strings.Cut(reference, ".")
	for _, dir := range ancestors(d.Path) {
		for _, c := range g.catalogs[dir] {
			if c.Kind == VersionCatalog && catalog != strings.TrimSuffix(path.Base(c.Path), ".versions.toml") {
				continue
			}
			if name, ok := c.table[alias]; ok {
				return name
			}
		}
	}
	// ext.libraries = [spring: "g:a:v"], then libraries.spring.
	dot := strings.LastIndexByte(reference, '.')
	if value := variables[reference[dot+1:]]; dot >= 0 && strings.Contains(value, ":") {
		group, rest, _ := strings.Cut(value, ":")
		if artifact := upToVersion(rest); group != "" && artifact != "" && !strings.ContainsAny(value, " /$") {
			return group + ":" + artifact
		}
	}
	return ""
}

// variables returns those of the script and of the scripts in the folders above it.
func (g *gradleProject) variables(d *draft) map[string]string {
	all := map[string]string{}
	dirs := ancestors(d.Path)
	slices.Reverse(dirs)
	for _, dir := range dirs {
		if root := g.roots[dir]; root != nil {
			maps.Copy(all, root.variables)
		}
	}
	maps.Copy(all, d.variables)
	return all
}

// conventions adds the declarations of the convention plugins that a script applies, which may apply others.
func (g *gradleProject) conventions(d, from *draft, depth int) {
	if depth > 5 {
		return
	}
	for _, dep := range slices.Clone(from.Dependencies) {
		script := g.scripts[dep.Name]
		if dep.Group != Plugin || script == nil || script == d || script == from {
			continue
		}
		if !slices.Contains(d.Includes, script.Path) {
			d.Includes = append(d.Includes, script.Path)
			for _, declared := range script.Dependencies {
				d.add(declared)
			}
			for _, hint := range script.Languages {
				d.speaks(hint.Language, hint.Why+" of "+script.Path)
			}
			g.conventions(d, script, depth+1)
		}
	}
}

// markLocal marks the dependencies that are packages of the same project.
func markLocal(drafts []*draft) {
	own := map[Dependency]bool{} // by ecosystem and name
	for _, d := range drafts {
		name := d.Name
		switch d.Ecosystem {
		case PyPI:
			name = pep503(name)
		case NuGet:
			name = strings.ToLower(name)
		}
		if name != "" {
			own[Dependency{Ecosystem: d.Ecosystem, Name: name}] = true
		}
	}
	for _, d := range drafts {
		for i, dep := range d.Dependencies {
			if own[Dependency{Ecosystem: dep.Ecosystem, Name: dep.Name}] {
				d.Dependencies[i].Local = true
			}
		}
	}
}
