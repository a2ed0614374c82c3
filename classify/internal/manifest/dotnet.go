package manifest

import (
	"cmp"
	"encoding/xml"
	"errors"
	"path"
	"slices"
	"strings"
)

// dotnetTesting are the packages that only a project of tests refers to.
var dotnetTesting = []string{"microsoft.net.test.sdk", "xunit", "nunit", "mstest", "mstest.testframework", "xunit.v3"}

// parseDotnetProject reads an MSBuild project, or a Directory.Build.props, which projects below it inherit: the packages it references, its
// SDK, and the user interfaces it enables. Conditions are not evaluated: all branches count.
func parseDotnetProject(d *draft, text string) {
	project := d.msbuild(text)
	if project == nil {
		return
	}
	if d.Kind == DotnetProject {
		d.Name = strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path))
		d.speaks(cmp.Or(map[string]string{".fsproj": "F#", ".vbproj": "Visual Basic"}[path.Ext(d.Path)], "C#"), d.Path)
	}
	sdk, _, _ := strings.Cut(cmp.Or(project.attr("Sdk"), project.child("Sdk").attr("Name")), "/") // a version may follow
	d.property("sdk", strings.ToLower(sdk))
	test := false
	for _, group := range project.all("PropertyGroup") {
		for _, p := range group.children {
			value := strings.TrimSpace(p.text)
			if value == "" || strings.Contains(value, "$(") {
				continue
			}
			switch p.name {
			case "PackageId":
				d.Name = value
			case "Description", "PackageDescription":
				d.Description = clean(value)
			case "Version":
				d.Version = value
			case "OutputType", "TargetFramework", "TargetFrameworks":
				d.property(strings.ToLower(p.name[:1])+p.name[1:], value)
			case "UseWPF", "UseWindowsForms", "UseMaui", "UseUno", "UseWinUI":
				if strings.EqualFold(value, "true") {
					d.uses(strings.ToLower(strings.TrimPrefix(p.name, "Use")))
				}
			case "IsTestProject":
				test = strings.EqualFold(value, "true")
			case "ProjectTypeGuids":
				d.guids(value)
			}
		}
	}
	var packages []*node
	for _, group := range project.all("ItemGroup") {
		for _, item := range group.children {
			switch item.name {
			case "PackageReference", "GlobalPackageReference", "FrameworkReference":
				packages = append(packages, item)
				test = test || slices.Contains(dotnetTesting, strings.ToLower(item.attr("Include")))
			case "ProjectReference":
				name := path.Base(strings.ReplaceAll(item.attr("Include"), `\`, "/"))
				d.add(Dependency{Name: strings.ToLower(strings.TrimSuffix(name, path.Ext(name))), Local: true})
			case "Reference": // of projects from before the SDK format
				switch name, _, _ := strings.Cut(item.attr("Include"), ","); name {
				case "System.Windows.Forms":
					d.uses("windowsforms")
				case "PresentationFramework":
					d.uses("wpf")
				}
			}
		}
	}
	for _, item := range packages {
		if name := strings.ToLower(item.attr("Include")); name != "" && !strings.ContainsAny(name, "$@;") {
			d.named(packageGroup(item, test), name)
		}
	}
}

// packageGroup returns the group of a reference: analysers and build tasks keep their assets private, and a test project has no runtime
// dependencies.
func packageGroup(item *node, test bool) Group {
	if test || strings.EqualFold(cmp.Or(item.attr("PrivateAssets"), item.value("PrivateAssets")), "all") {
		return Dev
	}
	return Runtime
}

// uses notes a user interface that a project enables.
func (d *draft) uses(what string) {
	if all := d.Properties["uses"]; all == "" {
		d.property("uses", what)
	} else if !strings.Contains(" "+all+" ", " "+what+" ") {
		d.property("uses", all+" "+what)
	}
}

// guids notes the project types of a project from before the SDK format.
func (d *draft) guids(value string) {
	value = strings.ToLower(value)
	for guid, what := range map[string]string{
		"60dc8134-eba5-43b8-bcc9-bb4bc16c2548": "wpf",
		"349c5851-65df-11da-9384-00065b846f21": "aspnet",
		"e3e379df-f4c6-4180-9b81-6769533abe47": "aspnet",
	} {
		if strings.Contains(value, guid) {
			d.uses(what)
		}
	}
}

// msbuild returns the Project element of a file.
func (d *draft) msbuild(text string) *node { return d.document(text, "Project") }

// document returns the root element of an XML manifest; an error becomes a problem.
func (d *draft) document(text, element string) *node {
	root, err := parseXML(text)
	if err != nil {
		d.problem(xmlLine(err), "is not XML throughout: %v", err)
	}
	found := root.child(element)
	if found == nil && err == nil {
		d.problem(0, "has no %s element", element)
	}
	return found
}

func xmlLine(err error) int {
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		return syntax.Line
	}
	return 0
}

// parsePackagesProps reads the versions that a repository keeps in one place: they constrain, but are not uses.
func parsePackagesProps(d *draft, text string) {
	for _, group := range d.msbuild(text).all("ItemGroup") {
		for _, item := range group.children {
			name := strings.ToLower(item.attr("Include"))
			switch {
			case name == "" || strings.ContainsAny(name, "$@;"):
			case item.name == "PackageVersion":
				d.named(Managed, name)
			case item.name == "GlobalPackageReference":
				d.named(Dev, name)
			}
		}
	}
}

// parsePackagesConfig reads the packages of a project from before PackageReference.
func parsePackagesConfig(d *draft, text string) {
	for _, p := range d.document(text, "packages").all("package") {
		group := Runtime
		if strings.EqualFold(p.attr("developmentDependency"), "true") {
			group = Dev
		}
		d.named(group, strings.ToLower(p.attr("id")))
	}
}

// parseSolution reads the projects that a solution lists, in either format. It skips a solution's folders and projects of other kinds.
func parseSolution(d *draft, text string) {
	d.Workspace = true
	take := func(file string) {
		file = strings.ReplaceAll(file, `\`, "/")
		if dir := path.Dir(file); dir != "." && slices.Contains([]string{".csproj", ".fsproj", ".vbproj"}, path.Ext(file)) {
			d.Members = append(d.Members, dir)
		}
	}
	if path.Ext(d.Path) == ".slnx" {
		var walk func(n *node)
		walk = func(n *node) {
			for _, c := range n.children0() {
				if c.name == "Project" {
					take(c.attr("Path"))
				}
				walk(c)
			}
		}
		walk(d.document(text, "Solution"))
		return
	}
	open, number := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, `Project("`):
			open = number
			if parts := strings.Split(line, `"`); len(parts) >= 7 {
				take(parts[5])
			} else {
				d.problem(number, "lists a project without its path")
			}
		case line == "EndProject":
			open = 0
		}
	}
	if open > 0 {
		d.problem(open, "ends inside a project")
	}
}

// inheritDotnet adds to a project the settings of the nearest Directory.Build.props above it, and of no other, as MSBuild does.
func (d *draft) inheritDotnet(byPath map[string]*draft) {
	for _, name := range [...]string{"Directory.Build.props", "Directory.Build.targets"} {
		for _, dir := range ancestors(d.Path) {
			above := byPath[path.Join(dir, name)]
			if above == nil {
				continue
			}
			for _, dep := range above.Dependencies {
				d.add(dep)
			}
			for what := range strings.FieldsSeq(above.Properties["uses"]) {
				d.uses(what)
			}
			break
		}
	}
}
