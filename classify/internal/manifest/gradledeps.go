package manifest

import (
	"slices"
	"strings"
)

// dependency reads a line of dependencies { }: a configuration and its dependencies.
func (r *gradleReader) dependency(line []token) {
	if len(line) < 2 || line[0].kind == stringToken && line[1].text != "(" { // "implementation"("g:a:v") names one too
		return
	}
	configuration, rest := line[0].text, line[1:]
	switch configuration {
	case "exclude", "because", "version", "transitive", "if", "for", "def", "val", "var", "import", "println", "return":
		return
	case "add": // add("implementation", "g:a:v")
		for i, t := range rest {
			if t.kind == stringToken {
				configuration, rest = t.text, rest[i+1:]
				break
			}
		}
	case "mavenBom":
		r.coordinates(rest, Managed)
		return
	}
	if rest[0].text == "=" || rest[0].text == "." && configuration != "libs" {
		return
	}
	group := r.configuration(configuration)
	for i := 0; i < len(rest); i++ {
		if rest[i].kind != nameToken {
			continue
		}
		switch rest[i].text {
		case "platform", "enforcedPlatform":
			group = Managed
		case "kotlin":
			if i+2 < len(rest) && rest[i+2].kind == stringToken {
				r.d.named(group, "org.jetbrains.kotlin:kotlin-"+rest[i+2].text)
				return
			}
		case "project", "files", "fileTree", "gradleApi", "localGroovy", "npm":
			return
		case "group":
			r.mapNotation(rest[i:], group)
			return
		}
		if path, n := reference(rest[i:]); path != "" {
			r.d.inherited = append(r.d.inherited, inherited{path, group})
			i += n
		}
	}
	if r.positional(rest, group) {
		return
	}
	r.coordinates(rest, group)
}

// positional reads the Kotlin DSL's ("group", "name", "version", …), of which the first two are needed.
func (r *gradleReader) positional(line []token, group Group) bool {
	for i, t := range line {
		if t.kind == newlineToken || t.kind == punctToken && (t.text == "(" || t.text == ",") { // add("implementation", "group", …)
			continue
		}
		if t.kind != stringToken || i == 0 {
			return false
		}
		rest := slices.DeleteFunc(slices.Clone(line[i+1:min(len(line), i+5)]), func(t token) bool { return t.kind == newlineToken })
		if len(rest) < 3 || rest[0].text != "," || rest[0].kind != punctToken || rest[1].kind != stringToken || rest[2].kind != punctToken || rest[2].text != "," && rest[2].text != ")" {
			return false
		}
		g, a := t.text, rest[1].text
		if g == "" || a == "" || strings.ContainsAny(g+a, ": /\n") {
			return false
		}
		r.d.variableDependency(g+":"+a, group)
		return true
	}
	return false
}

// configuration returns the group of a Gradle configuration, by the usual words in its name.
func (r *gradleReader) configuration(name string) Group {
	lower := strings.ToLower(name)
	switch {
	case r.in("buildscript"):
		return Build
	case r.in("constraints") || r.in("dependencyManagement") || lower == "dependency":
		return Managed
	case strings.Contains(lower, "test"), strings.HasPrefix(lower, "debug"), lower == "developmentonly", lower == "detektplugins":
		return Dev
	case strings.Contains(lower, "kapt"), strings.Contains(lower, "ksp"), strings.Contains(lower, "annotationprocessor"), lower == "classpath":
		return Build
	}
	return Runtime
}

// coordinates adds the strings "group:artifact[:version]" of a line.
func (r *gradleReader) coordinates(line []token, group Group) {
	for i, t := range line {
		if t.kind != stringToken || strings.ContainsAny(t.text, " /\n") || i > 0 && line[i-1].kind == nameToken && line[i-1].text == "because" {
			continue
		}
		g, rest, ok := strings.Cut(t.text, ":")
		if a := upToVersion(rest); ok && g != "" && a != "" {
			r.d.variableDependency(g+":"+a, group)
		}
	}
}

// upToVersion returns the artifact of "artifact:version@type", where a ${…} may contain a colon.
func upToVersion(s string) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ':', '@':
			if depth <= 0 {
				return s[:i]
			}
		}
	}
	return s
}

// mapNotation reads group: 'g', name: 'a', version: 'v', and Kotlin's named arguments.
func (r *gradleReader) mapNotation(line []token, group Group) {
	g := ""
	for i := 0; i+2 < len(line); i++ {
		if line[i+1].text != ":" && line[i+1].text != "=" || line[i+2].kind != stringToken {
			continue
		}
		switch line[i].text {
		case "group":
			g = line[i+2].text
		case "name":
			r.d.variableDependency(g+":"+line[i+2].text, group)
		}
	}
}

// catalogLibrary reads library("alias", "g:a:v") and library("alias", "g", "a") of a catalogue in settings.gradle.
func (r *gradleReader) catalogLibrary(line []token) {
	args := texts(line[1:])
	if len(args) < 2 {
		return
	}
	name := args[1]
	if g, rest, ok := strings.Cut(name, ":"); ok {
		name = g + ":" + upToVersion(rest)
	} else if len(args) > 2 {
		name += ":" + args[2]
	}
	if r.d.table == nil {
		r.d.table = map[string]string{}
	}
	r.d.table[accessor(args[0])] = name
	r.d.named(Managed, name)
}

// parseCatalog reads a version catalogue: the meaning of its aliases.
func parseCatalog(d *draft, text string) {
	root := d.tomlTable(text)
	d.table = map[string]string{}
	libraries := map[string]string{}
	for alias, spec := range root.sub("libraries").sorted() {
		name, _ := spec.(string)
		if t := asTable(spec); t != nil {
			name = t.str("module")
			if name == "" && t.str("group") != "" {
				name = t.str("group") + ":" + t.str("name")
			}
		}
		if g, rest, ok := strings.Cut(name, ":"); ok && g != "" && upToVersion(rest) != "" {
			libraries[alias] = g + ":" + upToVersion(rest)
			d.table[accessor(alias)] = libraries[alias]
			d.named(Managed, libraries[alias])
		}
	}
	for alias, spec := range root.sub("plugins").sorted() {
		id, _ := spec.(string)
		if t := asTable(spec); t != nil {
			id = t.str("id")
		}
		if id = upTo(id, ":"); id != "" {
			d.table["plugins."+accessor(alias)] = id
			d.named(Managed, id)
		}
	}
	for alias, spec := range root.sub("bundles").sorted() {
		var names []string
		for _, library := range stringsOf(spec) {
			if name := libraries[library]; name != "" {
				names = append(names, name)
			}
		}
		d.table["bundles."+accessor(alias)] = strings.Join(names, " ")
	}
}

// accessor returns an alias as scripts write it: Gradle turns -, _ and . into dots.
func accessor(alias string) string {
	return strings.NewReplacer("-", ".", "_", ".").Replace(alias)
}
