package uses

import (
	"encoding/json"
	"github.com/agit-suite/agit/shared/text"
	"path"
	"slices"
	"strings"
)

// dependency is a package that a manifest names.
type dependency struct {
	kind string // group of languages
	name string
	file string
	line int32
}

func (d dependency) key() string { return d.kind + " " + d.name }

var (
	goRequire    = text.Pattern{Expr: `^\s*(?:require\s+)?([a-z0-9.-]+\.[a-z]+/[^\s]+)\s+v[0-9]`}
	tomlEntry    = text.Pattern{Expr: `^\s*"?([A-Za-z0-9_-]+)"?\s*=\s*(?:"|\{)`}
	tomlTable    = text.Pattern{Expr: `^\s*\[+([^\]]+)\]`}
	tomlList     = text.Pattern{Expr: `^([\w-]+)\s*=\s*\[\s*$`}
	requirement  = text.Pattern{Expr: `^\s*["']?([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?:[=<>~!;,"']|$)`}
	gemEntry     = text.Pattern{Expr: `^\s*(?:\w+\.add_\w*dependency|gem)\s*\(?\s*["']([^"']+)["']`}
	gradleEntry  = text.Pattern{Expr: `^\s*(?:api|implementation|compile|compileOnly|runtimeOnly|testImplementation|testCompile|kapt)\s*\(?\s*["']([\w.-]+):([\w.-]+)`}
	mavenGroup   = text.Pattern{Expr: `<groupId>\s*([\w.-]+)\s*</groupId>`}
	nugetPackage = text.Pattern{Expr: `<PackageReference\s+Include="([^"]+)"`}
)

// dependencies returns the packages that a manifest names; nil when the file is not a manifest.
func dependencies(file, content string) (all []dependency) {
	add := func(kind, name string, line int) {
		all = append(all, dependency{kind, name, file, int32(line + 1)})
	}
	lines := splitLines(content)
	each := func(kind string, form *text.Pattern) {
		for i, line := range lines {
			if m := form.Regexp().FindStringSubmatch(line); m != nil {
				add(kind, m[1], i)
			}
		}
	}
	base := path.Base(file)
	switch {
	case base == "go.mod":
		for i, line := range lines {
			if m := goRequire.Regexp().FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "replace") {
				add("go", m[1], i)
			}
		}
	case base == "package.json":
		return packageJSON(file, content)
	case base == "Cargo.toml", base == "pyproject.toml", base == "Pipfile":
		table, list := "", ""
		for i, line := range lines {
			if m := tomlList.Regexp().FindStringSubmatch(line); m != nil {
				list = m[1]
			}
			if m := tomlTable.Regexp().FindStringSubmatch(line); m != nil {
				table = m[1]
				if _, name, found := strings.Cut(table, "dependencies."); found && base == "Cargo.toml" {
					add("rust", name, i)
				}
				continue
			}
			if strings.HasSuffix(table, "dependencies") || base == "Pipfile" && strings.HasSuffix(table, "packages") {
				if m := tomlEntry.Regexp().FindStringSubmatch(line); m != nil && m[1] != "python" {
					add(map[bool]string{true: "rust", false: "python"}[base == "Cargo.toml"], m[1], i)
				}
			}
			named := table == "project" && list == "dependencies" || table == "project.optional-dependencies" || table == "dependency-groups"
			if base == "pyproject.toml" && named && strings.HasPrefix(strings.TrimSpace(line), `"`) {
				if m := requirement.Regexp().FindStringSubmatch(line); m != nil {
					add("python", m[1], i)
				}
			}
		}
	case strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		each("python", &requirement)
	case base == "Gemfile" || strings.HasSuffix(base, ".gemspec"):
		each("ruby", &gemEntry)
	case strings.HasPrefix(base, "build.gradle"):
		each("jvm", &gradleEntry)
	case base == "pom.xml":
		inside := false
		for i, line := range lines {
			inside = inside && !strings.Contains(line, "</dependency>") || strings.Contains(line, "<dependency>")
			if m := mavenGroup.Regexp().FindStringSubmatch(line); m != nil && inside {
				add("jvm", m[1], i)
			}
		}
	case strings.HasSuffix(base, ".csproj"):
		each("cs", &nugetPackage)
	}
	return all
}

func packageJSON(file, text string) (all []dependency) {
	var manifest map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &manifest) != nil {
		return nil
	}
	for _, table := range []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"} {
		var names map[string]json.RawMessage
		if json.Unmarshal(manifest[table], &names) != nil {
			continue
		}
		for i, line := range splitLines(text) {
			name, _, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), `"`), `"`)
			if _, ok := names[name]; ok && found {
				all = append(all, dependency{"js", name, file, int32(i + 1)})
				delete(names, name)
			}
		}
	}
	return all
}

// manifest records which packages a changed manifest drops and which it keeps.
func (s *Side) manifest(f *File) {
	if f.Removed {
		return // the whole project went
	}
	now := dependencies(f.Path, f.Now)
	for _, d := range now {
		s.kept[d.key()] = true
	}
	for _, d := range dependencies(f.oldPath(), f.Base) {
		if !slices.ContainsFunc(now, func(n dependency) bool { return n.key() == d.key() }) {
			s.dropped = append(s.dropped, d)
		}
	}
}

// pythonModules are packages whose modules have other names.
var pythonModules = map[string]string{
	"pyyaml": "yaml", "beautifulsoup4": "bs4", "pillow": "PIL", "scikit-learn": "sklearn", "python-dateutil": "dateutil", "opencv-python": "cv2",
	"python-dotenv": "dotenv", "pyjwt": "jwt", "msgpack-python": "msgpack", "attrs": "attr", "psycopg2-binary": "psycopg2", "protobuf": "google",
}

// provides reports whether a package contains the module that an import names.
func (d dependency) provides(r *ref) bool {
	if !r.imported || r.file.now.lang == nil || r.file.now.lang.group != d.kind {
		return false
	}
	switch d.kind {
	case "go", "js":
		return r.text == d.name || strings.HasPrefix(r.text, d.name+"/")
	case "rust":
		first, _, _ := strings.Cut(r.text, "::")
		return first == strings.ReplaceAll(d.name, "-", "_")
	case "python":
		first, _, _ := strings.Cut(r.text, ".")
		module := strings.ToLower(strings.NewReplacer("-", "_", ".", "_").Replace(d.name))
		if other, ok := pythonModules[strings.ToLower(d.name)]; ok {
			return first == other
		}
		return first != "" && strings.ToLower(first) == module
	case "ruby":
		first, _, _ := strings.Cut(r.text, "/")
		return r.text == d.name || first == d.name || r.text == strings.ReplaceAll(d.name, "-", "/")
	case "jvm":
		return strings.HasPrefix(r.text, d.name+".")
	case "cs":
		return r.text == d.name || strings.HasPrefix(r.text, d.name+".")
	}
	return false
}

// covers reports whether a manifest applies to a file: it is in a folder above it.
func (d dependency) covers(file string) bool {
	dir := path.Dir(d.file)
	return dir == "." || strings.HasPrefix(file, dir+"/")
}
