package manifest

import (
	"cmp"
	"path"
	"strings"
)

// parsePom reads pom.xml. Properties are replaced when the POM, or a parent in the project, defines them; a group that only a remote parent
// defines is left out.
func parsePom(d *draft, text string) {
	root, err := parseXML(text)
	if err != nil {
		d.problem(xmlLine(err), "is not a valid POM throughout: %v", err)
	}
	project := root.child("project")
	if project == nil {
		if err == nil {
			d.problem(0, "is not a POM: it has no project element")
		}
		return
	}
	parent := project.child("parent")
	d.variables = map[string]string{
		"project.groupId":        cmp.Or(project.value("groupId"), parent.value("groupId")),
		"project.artifactId":     project.value("artifactId"),
		"project.parent.groupId": parent.value("groupId"),
	}
	d.variables["groupId"], d.variables["pom.groupId"] = d.variables["project.groupId"], d.variables["project.groupId"]
	if props := project.child("properties"); props != nil {
		for _, p := range props.children {
			d.variables[p.name] = strings.TrimSpace(p.text)
		}
	}
	d.Name = cmp.Or(project.value("artifactId"), project.value("name"))
	if group := d.variables["project.groupId"]; group != "" && d.Name != "" {
		d.Name = group + ":" + d.Name
	}
	d.Version = project.value("version")
	d.Description = clean(cmp.Or(project.value("description")))
	d.property("packaging", project.value("packaging"))
	if parent != nil {
		d.mavenCoordinates(parent, Build, false)
		d.parent = "../pom.xml"
		if rel := parent.child("relativePath"); rel != nil {
			d.parent = strings.TrimSpace(rel.text)
		}
		if d.parent != "" && path.Ext(d.parent) != ".xml" {
			d.parent += "/pom.xml"
		}
		d.parent, _ = beside(d.Path, d.parent)
	}
	d.mavenBody(project, false)
	for _, profile := range project.child("profiles").children0() {
		d.mavenBody(profile, true)
	}
	d.Workspace = len(d.Members) > 0
}

// children0 returns the children of a node that may be nil.
func (n *node) children0() []*node {
	if n == nil {
		return nil
	}
	return n.children
}

// mavenBody reads the elements that a project and a profile share.
func (d *draft) mavenBody(n *node, profile bool) {
	for _, list := range []string{"modules", "subprojects"} { // Maven 4 says subprojects
		for _, module := range n.child(list).children0() {
			dir := strings.Trim(strings.TrimSpace(module.text), "/")
			if path.Ext(dir) == ".xml" {
				dir = path.Dir(dir)
			}
			if dir != "" {
				d.Members = append(d.Members, dir)
			}
		}
	}
	for _, dep := range n.child("dependencies").all("dependency") {
		d.mavenCoordinates(dep, mavenGroup(dep, profile), false)
	}
	for _, dep := range n.child("dependencyManagement", "dependencies").all("dependency") {
		d.mavenCoordinates(dep, Managed, false)
	}
	build := n.child("build")
	for _, plugin := range build.child("plugins").all("plugin") {
		d.mavenCoordinates(plugin, Plugin, true)
	}
	for _, plugin := range build.child("pluginManagement", "plugins").all("plugin") {
		d.mavenCoordinates(plugin, Managed, true)
	}
	for _, dir := range []string{"sourceDirectory", "testSourceDirectory"} {
		if strings.HasSuffix(build.value(dir), "/kotlin") {
			d.speaks("Kotlin", dir+" "+build.value(dir))
		}
	}
}

func mavenGroup(dep *node, profile bool) Group {
	switch {
	case dep.value("scope") == "test":
		return Dev
	case dep.value("scope") == "import":
		return Managed
	case dep.value("optional") == "true" || profile:
		return Optional
	}
	return Runtime // also provided: the container supplies it, the program is written against it
}

func (d *draft) mavenCoordinates(n *node, group Group, plugin bool) {
	g, a := n.value("groupId"), n.value("artifactId")
	if plugin && g == "" {
		g = "org.apache.maven.plugins"
	}
	d.variableDependency(g+":"+a, group)
	if language := mavenLanguages[a]; language != "" {
		d.speaks(language, "plugin "+a)
	}
}

// mavenLanguages are the languages that plugins compile.
var mavenLanguages = map[string]string{
	"kotlin-maven-plugin": "Kotlin", "scala-maven-plugin": "Scala", "gmavenplus-plugin": "Groovy", "groovy-eclipse-compiler": "Groovy",
}

// variableDependency adds a coordinate with the known variables replaced; one with unknown variables is kept as an inherited one, for the
// parents to complete.
func (d *draft) variableDependency(coordinate string, group Group) {
	name, complete := expand(coordinate, d.variables)
	if strings.HasPrefix(name, ":") || strings.HasSuffix(name, ":") {
		return
	}
	if !complete {
		d.inherited = append(d.inherited, inherited{coordinate, group})
		return
	}
	d.named(group, name)
}

// expand puts variables into ${name} and $name, a few levels deep so that a cycle ends.
func expand(s string, variables map[string]string) (string, bool) {
	for range 4 {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			return s, true
		}
		var b strings.Builder
		rest, changed := s, false
		for {
			i := strings.IndexByte(rest, '$')
			if i < 0 || b.Len() > 1000 {
				break
			}
			b.WriteString(rest[:i])
			rest = rest[i:]
			name, size := "", 1
			if strings.HasPrefix(rest, "${") {
				if end := strings.IndexByte(rest, '}'); end > 0 {
					name, size = strings.TrimSpace(rest[2:end]), end+1
				}
			} else {
				for size < len(rest) && (isWord(rune(rest[size])) || rest[size] == '.') {
					size++
				}
				name = rest[1:size]
			}
			value, ok := variables[name]
			if ok {
				b.WriteString(value)
				changed = true
			} else {
				b.WriteString(rest[:size])
			}
			rest = rest[size:]
		}
		s = b.String() + rest
		if !changed || len(s) > 1000 {
			break
		}
	}
	return s, !strings.Contains(s, "$")
}
