package manifest

import (
	"path"
	"slices"
	"strings"
)

// A gradleReader reads build and settings scripts in Groovy and Kotlin, without running them, as a sequence of statements in nested blocks.
// Values that a script computes stay unknown.
type gradleReader struct {
	d      *draft
	tokens []token
	blocks []string // the names of the blocks around the current token
	nested bool     // another script applied this one, so it applies none itself
}

func parseGradle(d *draft, text string) {
	if strings.HasSuffix(d.Path, ".kts") {
		d.property("dsl", "kotlin")
	}
	r := &gradleReader{d: d, tokens: gradleTokens(text)}
	d.unclosed(r.tokens)
	d.variables = map[string]string{}
	r.assignments()
	r.run()
	if d.Kind == SettingsGradle {
		d.Workspace = d.Workspace || len(d.Members) > 0
	}
	for _, dep := range d.Dependencies {
		if dep.Group == Plugin {
			d.gradleLanguage(dep.Name)
		}
	}
}

// gradleLanguage notes the language that a plugin compiles.
func (d *draft) gradleLanguage(plugin string) {
	switch plugin {
	case "kotlin", "kotlin-android", "kotlin-multiplatform":
		d.speaks("Kotlin", "plugin "+plugin)
	case "groovy", "scala":
		d.speaks(strings.ToUpper(plugin[:1])+plugin[1:], "plugin "+plugin)
	default:
		known := []string{"jvm", "android", "multiplatform", "js", "plugin.spring", "plugin.serialization"}
		if name, ok := strings.CutPrefix(plugin, "org.jetbrains.kotlin."); ok && slices.Contains(known, name) {
			d.speaks("Kotlin", "plugin "+plugin)
		}
	}
}

// assignments collects the strings given to names, for coordinates with $names in them.
func (r *gradleReader) assignments() {
	t := r.tokens
	for i := 0; i+2 < len(t) && len(r.d.variables) < 1000; i++ {
		if t[i].kind != nameToken {
			continue
		}
		switch {
		case t[i+1].text == "=" && t[i+2].kind == stringToken: // also the end of ext.x = and extra["x"] =
			r.d.variables[t[i].text] = t[i+2].text
		case t[i+1].text == "by" && t[i+2].text == "extra" && i+4 < len(t) && t[i+4].kind == stringToken:
			r.d.variables[t[i].text] = t[i+4].text
		case t[i+1].text == ":" && t[i+2].kind == stringToken && r.d.variables[t[i].text] == "": // ext = [a: 'x']
			r.d.variables[t[i].text] = t[i+2].text
		}
	}
}

func (r *gradleReader) run() {
	t := r.tokens
	start := true // of a statement
	for i := 0; i < len(t); i++ {
		punct := t[i].kind == punctToken
		if start && !punct && t[i].kind != newlineToken {
			r.statement(i)
		}
		start = t[i].kind == newlineToken || punct && strings.Contains(";{}", t[i].text)
		switch {
		case punct && t[i].text == "{" && len(r.blocks) < maxNesting:
			r.blocks = append(r.blocks, r.blockName(i))
		case punct && t[i].text == "}" && len(r.blocks) > 0:
			r.blocks = r.blocks[:len(r.blocks)-1]
		}
	}
}

// includes recognises a function of the script that includes its argument: fun module(path: String) { … include(name) }.
func (r *gradleReader) includes(name string) bool {
	t := r.tokens
	for i := 0; i+3 < len(t); i++ {
		if (t[i].text == "fun" || t[i].text == "def" || t[i].text == "void") && t[i+1].text == name && t[i+2].text == "(" {
			depth := 0
			for _, inner := range t[i+3 : min(i+80, len(t))] {
				switch inner.text {
				case "include":
					return true
				case "{":
					depth++
				case "}":
					depth--
				}
				if inner.text == "}" && depth == 0 || inner.text == "fun" || inner.text == "def" {
					return false
				}
			}
		}
	}
	return false
}

// blockName returns the word before a brace, skipping its arguments: dependencies {, create("x") {, sourceSets.main {.
func (r *gradleReader) blockName(brace int) string {
	i := brace - 1
	if i >= 0 && r.tokens[i].text == ")" {
		for depth := 0; i >= 0 && brace-i < 100; i-- {
			switch r.tokens[i].text {
			case ")":
				depth++
			case "(":
				depth--
			}
			if depth == 0 {
				i--
				break
			}
		}
	}
	for i >= 0 && r.tokens[i].kind == newlineToken {
		i--
	}
	if i < 0 || r.tokens[i].kind == punctToken {
		return ""
	}
	return r.tokens[i].text
}

func (r *gradleReader) in(name string) bool { return slices.Contains(r.blocks, name) }

func (r *gradleReader) block() string {
	if len(r.blocks) == 0 {
		return ""
	}
	return r.blocks[len(r.blocks)-1]
}

// line returns the tokens of the statement at i: up to the end of its line, or of its brackets when they span lines.
func (r *gradleReader) line(i int) []token {
	depth := 0
	for j := i; j < len(r.tokens) && j-i < 2000; j++ {
		switch tok := r.tokens[j]; {
		case tok.kind == punctToken && (tok.text == "(" || tok.text == "["):
			depth++
		case tok.kind == punctToken && (tok.text == ")" || tok.text == "]"):
			depth--
		case tok.kind == punctToken && (tok.text == "{" || tok.text == "}" || tok.text == ";") && depth <= 0:
			return r.tokens[i:j]
		case tok.kind == newlineToken && depth <= 0:
			// A comma carries a Groovy call on to the next line.
			if j > i && r.tokens[j-1].text == "," {
				continue
			}
			return r.tokens[i:j]
		}
	}
	return r.tokens[i:min(len(r.tokens), i+2000)]
}

func (r *gradleReader) statement(i int) {
	word := r.tokens[i].text
	switch {
	case r.block() == "plugins":
		r.plugin(r.line(i))
		return
	case r.in("dependencies") && r.block() != "exclude":
		r.dependency(r.line(i))
		return
	}
	switch word {
	case "apply":
		r.apply(r.line(i))
	case "includeFlat": // a folder beside the project is outside of it
	case "include":
		if r.d.Kind == SettingsGradle && !r.in("repositories") && !r.in("content") {
			r.members(r.line(i))
		}
	default:
		if r.d.Kind == SettingsGradle && r.includes(word) {
			r.members(r.line(i))
		}
	case "includeBuild":
		for _, text := range texts(r.line(i)[1:]) {
			if !strings.Contains(text, "$") { // the variable's value is in another file
				r.d.workspace(strings.Trim(strings.TrimPrefix(text, "./"), "/"))
				return
			}
		}
	case "project":
		r.projectDir(r.line(i))
	case "rootProject":
		line := r.line(i)
		if len(line) > 4 && line[2].text == "name" && line[4].kind == stringToken {
			r.d.Name = line[4].text
		}
	case "description":
		for _, text := range texts(r.line(i)[1:]) {
			if len(r.blocks) == 0 {
				r.d.Description = clean(text)
			}
		}
	case "library", "bundle", "from":
		if r.in("versionCatalogs") && word == "library" {
			r.catalogLibrary(r.line(i))
		}
	}
}

// plugin reads a line of plugins { }: id("x"), kotlin("jvm"), alias(libs.plugins.x), application.
func (r *gradleReader) plugin(line []token) {
	group := Plugin
	if r.in("pluginManagement") || r.in("pluginsManagement") {
		group = Managed
	}
	for i := 0; i+1 < len(line); i++ {
		if line[i].text == "apply" && line[len(line)-1].text != "true" && strings.Contains(joined(line[i:]), "false") {
			group = Managed
		}
	}
	word := line[0].text
	switch {
	case line[0].kind == stringToken: // `java-library`, which the lexer gives as a string
		r.d.named(group, word)
	case word == "id" || word == "kotlin" || word == "embeddedKotlin":
		for _, t := range line[1:] {
			if t.kind == stringToken {
				name := t.text
				if word != "id" {
					name = "org.jetbrains.kotlin." + name
				}
				r.d.variableDependency(name, group)
				return
			}
			if t.kind == nameToken && word == "id" && t.text != "version" {
				return // id(SOME_CONSTANT)
			}
		}
	case word == "alias":
		if path, _ := reference(line[1:]); path != "" {
			r.d.inherited = append(r.d.inherited, inherited{path, group})
		}
	case len(line) == 1 && slices.Contains([]string{"java", "application", "war", "ear", "groovy", "scala", "base"}, word):
		r.d.named(group, word)
	}
}

// apply reads apply plugin: 'x', apply(plugin = "x") and apply from: 'y.gradle'.
func (r *gradleReader) apply(line []token) {
	for i := 1; i+2 < len(line); i++ {
		if line[i+1].text != ":" && line[i+1].text != "=" {
			continue
		}
		value := line[i+2]
		switch line[i].text {
		case "plugin":
			if value.kind == stringToken {
				r.d.named(Plugin, value.text)
			}
		case "from":
			for _, t := range line[i+2:] {
				if t.kind == stringToken {
					r.include(t)
					return
				}
			}
		}
	}
}

// include reads another script of the project as part of this one, one level deep.
func (r *gradleReader) include(t token) {
	ref := t.text
	from := r.d.Path
	for _, prefix := range []string{"$rootDir/", "${rootDir}/", "$rootProject.projectDir/", "${rootProject.projectDir}/"} {
		if rest, ok := strings.CutPrefix(ref, prefix); ok {
			ref, from = rest, "build.gradle"
		}
	}
	ref = strings.TrimPrefix(strings.TrimPrefix(ref, "$projectDir/"), "${projectDir}/")
	if r.nested || strings.Contains(ref, "$") || strings.Contains(ref, "://") || len(r.d.Includes) >= 20 {
		return
	}
	file, ok := beside(from, ref)
	if !ok {
		r.d.problem(t.line, "applies %q, which is outside the project", shorten(t.text))
		return
	}
	if kind, ok := KindOf(file); !ok || kind != BuildGradle {
		return
	}
	_, text, ok := r.d.part("applies", from, ref, t.line)
	if !ok {
		return
	}
	other := &gradleReader{d: r.d, tokens: gradleTokens(text), nested: true}
	other.assignments()
	other.run()
}

// reference reads a dotted name such as libs.spring.boot, skipping brackets, and returns it with its number of tokens.
func reference(line []token) (string, int) {
	i := 0
	for i < len(line) && line[i].text == "(" {
		i++
	}
	var parts []string
	for ; i < len(line) && line[i].kind == nameToken; i++ {
		parts = append(parts, line[i].text)
		if i++; i == len(line) || line[i].text != "." {
			break
		}
	}
	if len(parts) < 2 {
		return "", i
	}
	return strings.Join(parts, "."), i
}

// members reads the paths of include: ":a:b" is the folder a/b.
func (r *gradleReader) members(line []token) {
	for _, t := range line[1:] {
		if t.kind != stringToken || strings.Contains(t.text, "$") {
			continue
		}
		dir := strings.ReplaceAll(strings.Trim(t.text, ":"), ":", "/")
		if dir != "" && len(r.d.Members) < maxDependencies {
			r.d.Members = append(r.d.Members, dir)
		}
	}
}

// projectDir reads project(":a").projectDir = file("x/a"): the member is elsewhere.
func (r *gradleReader) projectDir(line []token) {
	if !strings.Contains(joined(line), "projectDir") {
		return
	}
	names := texts(line)
	if len(names) < 2 {
		return
	}
	old := strings.ReplaceAll(strings.Trim(names[0], ":"), ":", "/")
	dir := names[len(names)-1]
	for _, prefix := range []string{"$rootDir/", "${rootDir}/", "./"} {
		dir = strings.TrimPrefix(dir, prefix)
	}
	for i, m := range r.d.Members {
		if m == old {
			r.d.Members[i] = path.Clean(dir)
		}
	}
}

// texts returns the strings of a line.
func texts(line []token) (all []string) {
	for _, t := range line {
		if t.kind == stringToken {
			all = append(all, t.text)
		}
	}
	return all
}

func joined(line []token) string {
	var b strings.Builder
	for _, t := range line {
		b.WriteString(t.text)
		b.WriteByte(' ')
	}
	return b.String()
}
