package instruct

import (
	"encoding/json"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agit-suite/agit/shared/text"
)

// targets are the targets of a repository's tools. The names of all files of a tool are merged, since a text rarely names the folder.
type targets struct {
	have map[string]map[string]bool // by tool
	// open are tools whose names cannot all be known, because of an include or a pattern that matches any name.
	open map[string]string
	// deps are packages whose programs may be called by name.
	deps map[string]bool
	// crates are the names by kind (--bin, --example, …).
	crates map[string]map[string]bool
}

var (
	makeRule   = text.Pattern{Expr: `(?m)^([^\s#:=][^#:=\n]*?)\s*::?(?:[^=]|$)`}
	justRule   = text.Pattern{Expr: `(?m)^@?([A-Za-z_][\w-]*)(?:[ \t]+[^:\n]*)?:(?:[^=]|$)`}
	justAlias  = text.Pattern{Expr: `(?m)^alias[ \t]+([\w-]+)[ \t]*:=`}
	justModule = text.Pattern{Expr: `(?m)^mod\??[ \t]+([\w-]+)`}
	included   = text.Pattern{Expr: `(?m)^\s*-?s?include\s`}
	cargoTable = text.Pattern{Expr: `(?m)^\s*\[+([^\]\n]+)\]+|^\s*name\s*=\s*"([^"]+)"`}
)

// readTargets reads the files of the tools in question.
func readTargets(t *Tree, wanted map[string]bool) *targets {
	ts := &targets{have: map[string]map[string]bool{}, open: map[string]string{}, deps: map[string]bool{}, crates: map[string]map[string]bool{}}
	for _, f := range t.files {
		tool := toolOfFile(f)
		if tool == "" || !wanted[tool] {
			continue
		}
		src, err := t.Read(f)
		if err != nil {
			ts.open[tool] = f + " cannot be read"
			continue
		}
		if ts.have[tool] == nil {
			ts.have[tool] = map[string]bool{}
		}
		readers[tool](ts, src, f)
	}
	return ts
}

// readers read the file of a tool.
var readers = map[string]func(ts *targets, src []byte, file string){
	"make": (*targets).makefile, "just": (*targets).justfile, "task": (*targets).taskfile,
	"npm": (*targets).packageJSON, "deno": (*targets).denoJSON, "cargo": (*targets).cargo,
}

// toolOfFile is the tool whose targets a file names, "" for other files.
func toolOfFile(file string) string {
	switch base := strings.ToLower(path.Base(file)); {
	case base == "makefile" || base == "gnumakefile" || strings.HasSuffix(base, ".mk") || base == "makefile.am":
		return "make"
	case base == "justfile" || base == ".justfile" || strings.HasSuffix(base, ".just"):
		return "just"
	case strings.HasPrefix(base, "taskfile.") || strings.HasPrefix(base, "taskfile_"):
		return "task"
	case base == "package.json":
		return "npm"
	case base == "deno.json" || base == "deno.jsonc":
		return "deno"
	case base == "cargo.toml":
		return "cargo"
	}
	return ""
}

// note adds names to a set.
func note(set map[string]bool, names iter.Seq[string]) {
	for name := range names {
		set[name] = true
	}
}

func (ts *targets) makefile(src []byte, file string) {
	joined := strings.ReplaceAll(string(src), "\\\n", " ")
	for _, m := range makeRule.Regexp().FindAllStringSubmatch(joined, -1) {
		for _, name := range strings.Fields(m[1]) {
			if strings.ContainsAny(name, "%$") {
				if name == "%" || strings.HasPrefix(name, "$") {
					ts.open["make"] = file + " has targets that are computed"
				}
				if strings.Contains(name, "%") && name != "%" {
					ts.have["make"]["%"+name] = true
				}
				continue
			}
			ts.have["make"][name] = true
		}
	}
	if included.Regexp().MatchString(joined) && !strings.Contains(joined, ".mk") {
		ts.open["make"] = file + " includes others"
	}
	for m := range strings.Lines(joined) {
		if strings.HasPrefix(m, ".PHONY") {
			note(ts.have["make"], slices.Values(strings.Fields(m)[1:]))
		}
	}
}

func (ts *targets) justfile(src []byte, _ string) {
	for _, p := range []*text.Pattern{&justRule, &justAlias, &justModule} {
		for _, m := range p.Regexp().FindAllStringSubmatch(string(src), -1) {
			ts.have["just"][m[1]] = true
		}
	}
}

func (ts *targets) taskfile(src []byte, file string) {
	var doc struct {
		Tasks    map[string]yaml.Node `yaml:"tasks"`
		Includes map[string]yaml.Node `yaml:"includes"`
	}
	if err := yaml.Unmarshal(src, &doc); err != nil {
		ts.open["task"] = file + " cannot be read"
		return
	}
	for name, node := range doc.Tasks {
		ts.have["task"][name] = true
		var body struct {
			Aliases []string `yaml:"aliases"`
		}
		if node.Decode(&body) == nil {
			note(ts.have["task"], slices.Values(body.Aliases))
		}
		if strings.Contains(name, "*") {
			ts.open["task"] = file + " has names with *"
		}
	}
	for name := range doc.Includes {
		ts.have["task"][name+":"] = true
	}
}

func (ts *targets) packageJSON(src []byte, _ string) {
	var doc struct {
		Scripts map[string]any
		Bin     any
		Name    string

		Dependencies, DevDependencies, PeerDependencies, OptionalDependencies map[string]any
	}
	if json.Unmarshal(src, &doc) != nil {
		return
	}
	note(ts.have["npm"], maps.Keys(doc.Scripts))
	for _, deps := range []map[string]any{doc.Dependencies, doc.DevDependencies, doc.PeerDependencies, doc.OptionalDependencies} {
		for name := range deps {
			ts.deps[path.Base(name)] = true
		}
	}
	if bins, ok := doc.Bin.(map[string]any); ok {
		note(ts.deps, maps.Keys(bins))
	}
	ts.deps[path.Base(doc.Name)] = true
}

func (ts *targets) denoJSON(src []byte, file string) {
	var doc struct{ Tasks map[string]any }
	if json.Unmarshal(src, &doc) != nil {
		ts.open["deno"] = file + " cannot be read"
		return
	}
	note(ts.have["deno"], maps.Keys(doc.Tasks))
}

// cargo reads the names of a Cargo.toml: of its package, and of its programs.
func (ts *targets) cargo(src []byte, file string) {
	table := ""
	for _, m := range cargoTable.Regexp().FindAllStringSubmatch(string(src), -1) {
		if m[1] != "" {
			table = strings.TrimSpace(m[1])
			continue
		}
		kind := map[string]string{"package": "--package", "bin": "--bin", "example": "--example", "test": "--test", "bench": "--bench", "lib": "--package"}[table]
		if kind != "" {
			ts.crate(kind, m[2])
		}
	}
	if dir := path.Base(path.Dir(file)); dir != "." {
		ts.crate("--package", dir)
	}
	ts.have["cargo"]["x"] = true
}

func (ts *targets) crate(kind, name string) {
	if ts.crates[kind] == nil {
		ts.crates[kind] = map[string]bool{}
	}
	ts.crates[kind][name] = true
}

// has reports whether a tool has a target.
func (ts *targets) has(tool, name string) bool {
	have := ts.have[tool]
	if have[name] {
		return true
	}
	switch tool {
	case "task":
		space, _, ok := strings.Cut(name, ":")
		return ok && have[space+":"]
	case "just":
		space, _, ok := strings.Cut(name, "::")
		return ok && have[space] || have[strings.ReplaceAll(name, "_", "-")]
	case "make":
		for pattern := range have {
			if head, tail, ok := strings.Cut(strings.TrimPrefix(pattern, "%"), "%"); ok && strings.HasPrefix(pattern, "%") &&
				strings.HasPrefix(name, head) && strings.HasSuffix(name, tail) {
				return true
			}
		}
	}
	return false
}
