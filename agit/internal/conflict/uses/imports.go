package uses

import (
	"github.com/agit-suite/agit/shared/text"
	"path"
	"slices"
	"strings"
	"sync"
)

// statement is an import, over one line or several.
type statement struct {
	first, last int32
	words       map[string]bool // names in it, and the components of paths
	relative    bool            // it names a folder only: "." or ".."
}

// ref is a file, module or package that an added line names.
type ref struct {
	text     string
	file     *changed
	line     int32
	imported bool // false: a path in a string or a document
}

var importWords = sync.OnceValue(func() map[string]What {
	return words("", "import from use using require require_relative include export")
})

// statements finds the imports of a file.
func (f *parsed) statements() (all []statement) {
	d := &definer{parsed: f}
	for i := 0; i < len(f.tokens); i++ {
		t := f.tokens[i]
		if !t.first {
			continue
		}
		_, begins := importWords()[t.text]
		begins = begins && !(t.text == "using" && d.is(i+1, "(")) && (t.text != "export" || d.exportsFrom(i))
		required := false
		for k := i; !begins && k < i+8 && d.tok(k).line == t.line; k++ {
			required = required || d.is(k, "require") && d.is(k+1, "(")
		}
		if !(begins && t.kind == name || required || d.is(i, "#") && d.is(i+1, "include")) {
			continue
		}
		st := statement{first: t.line, last: t.line, words: map[string]bool{}}
		depth := 0
		for ; i < len(f.tokens); i++ {
			t := f.tokens[i]
			if t.line != st.last && (depth == 0 || required) || t.line > st.first+200 {
				break
			}
			st.last = t.line
			switch {
			case t.kind == symbol && strings.Contains("({", t.text):
				depth++
			case t.kind == symbol && strings.Contains(")}", t.text):
				depth--
			case t.kind == symbol && t.text == ";":
				depth = 0
			case t.kind == name:
				st.words[t.text] = true
			case t.kind == quoted:
				st.relative = st.relative || strings.Trim(t.text, "./") == ""
				for _, part := range strings.FieldsFunc(t.text, func(r rune) bool { return r == '/' || r == '\\' }) {
					st.words[part] = true
					st.words[strings.TrimSuffix(part, path.Ext(part))] = true
				}
			}
		}
		if st.words["from"] && len(st.words) <= 3 {
			st.relative = true
		}
		i--
		all = append(all, st)
	}
	return all
}

// exportsFrom reports whether a module re-exports names of another: `export { … } from "…"`.
func (d *definer) exportsFrom(i int) bool {
	if !d.is(i+1, "{") && !d.is(i+1, "*") && !d.is(i+1, "type") {
		return false
	}
	for k := i + 1; k < i+400 && k < len(d.tokens); k++ {
		if d.is(k, "from") && d.tok(k+1).kind == quoted {
			return true
		}
		if d.is(k, ";") || d.is(k, "(") || d.is(k, "=") {
			return false
		}
	}
	return false
}

// mentions reports whether an import may refer to a file.
func (st *statement) mentions(file string) bool {
	if st.relative || st.words[stem(file)] {
		return true
	}
	dir := path.Dir(file)
	return dir != "." && st.words[path.Base(dir)]
}

// binding finds the import that a name of a file comes from.
func (c *changed) binding(name string) *statement {
	for i := range c.imports {
		if c.imports[i].words[name] {
			return &c.imports[i]
		}
	}
	return nil
}

// importForms match, by language, what an import names.
var importForms = sync.OnceValue(func() map[string][]*text.Pattern {
	return map[string][]*text.Pattern{
		"python":  {{Expr: `^\s*from\s+(\.*[\w.]*)\s+import\s+\(?\s*([\w, ]*)`}, {Expr: `^\s*import\s+([\w.]+)`}},
		"js":      {{Expr: `(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\(|\bmock\s*\()\s*["']([^"']+)["']`}},
		"rust":    {{Expr: `^\s*(?:pub(?:\([^)]*\))?\s+)?(mod\s+\w+)\s*;`}, {Expr: `^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([\w:]+)`}, {Expr: `^\s*extern\s+crate\s+(\w+)`}},
		"c":       {{Expr: `^\s*#\s*(?:include|import)\s*"([^"]+)"`}, {Expr: `^\s*#\s*include\s*<([^>]+)>`}},
		"jvm":     {{Expr: `^\s*import\s+(?:static\s+)?([\w.]+)`}},
		"cs":      {{Expr: `^\s*(?:global\s+)?using\s+(?:static\s+)?([\w.]+)\s*;`}},
		"php":     {{Expr: `^\s*use\s+\\?([\w\\]+)`}, {Expr: `\b(?:require|include)(?:_once)?\b[^'"]*['"]/?([^'"]+)['"]`}},
		"ruby":    {{Expr: `^\s*(require_relative\s*\(?\s*["'][^"']+)["']`}, {Expr: `^\s*require\s*\(?\s*["']([^"']+)["']`}},
		"shell":   {{Expr: `^\s*(?:source|\.)\s+["']?[^\s;]*?([\w.-]+(?:/[\w.-]+)*)["']?\s*(?:$|[;&|#])`}},
		"proto":   {{Expr: `^\s*import\s+(?:public\s+|weak\s+)?"([^"]+)"`}},
		"dart":    {{Expr: `^\s*(?:import|export|part)\s+['"]([^'"]+)['"]`}},
		"swift":   {{Expr: `^\s*(?:@testable\s+)?import\s+(\w+)`}},
		"elixir":  {},
		"go":      {},
		"lua":     {{Expr: `\brequire\s*\(?\s*["']([^"']+)["']`}},
		"perl":    {{Expr: `^\s*use\s+([\w:]+)`}},
		"zig":     {{Expr: `@import\(\s*"([^"]+)"`}},
		"graphql": {},
		"sql":     {},
	}
})

// pathForm matches a path in a document or a manifest: with a slash, or with an extension.
var pathForm = text.Pattern{Expr: `[\w@.-]*(?:/[\w@.-]+)+|\.?[\w@-]+(?:\.[\w-]+)+`}

// longLine bounds the length of lines that are read: longer ones are generated.
const longLine = 1000

// findRefs lists what the added lines of a file name.
func (s *Side) findRefs(c *changed) {
	f := c.now
	code := f.lines()
	for _, t := range f.tokens {
		if t.kind == quoted && c.added.lines[t.line] && len(t.text) < 200 && strings.ContainsAny(t.text, "/.") {
			s.refs = append(s.refs, ref{text: t.text, file: c, line: t.line, imported: f.lang.group == "go" && f.goImport(t)})
		}
	}
	for i, line := range splitLines(f.text) {
		n := int32(i + 1)
		if !c.added.lines[n] || len(line) > longLine {
			continue
		}
		if f.lang == nil || f.tokens == nil {
			for _, text := range pathForm.Regexp().FindAllString(line, -1) {
				s.refs = append(s.refs, ref{text: strings.TrimRight(text, "."), file: c, line: n}) // a sentence may end with it
			}
			continue
		}
		if !code[n] {
			continue
		}
		for _, form := range importForms()[f.lang.group] {
			for _, m := range form.Regexp().FindAllStringSubmatch(line, -1) {
				s.refs = append(s.refs, ref{text: m[1], file: c, line: n, imported: true})
				if len(m) > 2 { // from a import b, c: each may be a module
					for _, part := range strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' }) {
						s.refs = append(s.refs, ref{text: strings.TrimSuffix(m[1], ".") + "." + part, file: c, line: n, imported: true})
					}
				}
			}
		}
	}
}

// lines returns the lines on which code or a string begins.
func (f *parsed) lines() map[int32]bool {
	lines := map[int32]bool{}
	for _, t := range f.tokens {
		lines[t.line] = true
	}
	return lines
}

// goImport reports whether a string in Go is at a place for imports: before the first definition.
func (f *parsed) goImport(t token) bool {
	for i := range f.tokens {
		switch f.tokens[i].text {
		case "func", "type", "var", "const":
			if f.tokens[i].first && f.tokens[i].kind == name {
				return t.line < f.tokens[i].line
			}
		}
	}
	return true
}

// leads reports whether a reference names a file.
func (r *ref) leads(file string) bool {
	if r.imported {
		return r.importsFile(file)
	}
	text := strings.TrimSuffix(r.text, "/")
	for _, at := range []string{path.Join(path.Dir(r.file.now.path), text), strings.TrimPrefix(path.Clean(text), "/")} {
		if at == file || path.Dir(file) == at && at != "." && slices.Contains([]string{"Cargo.toml", "go.mod", "package.json", "pyproject.toml"}, path.Base(file)) {
			return true
		}
	}
	return false
}

func (r *ref) importsFile(file string) bool {
	lang := languageOf(file)
	own := r.file.now.lang
	if own == nil || lang == nil || lang.group != own.group {
		return false
	}
	from := path.Dir(r.file.now.path)
	bare := strings.TrimSuffix(file, path.Ext(file))
	switch own.group {
	case "go":
		dir := path.Dir(file)
		return dir != "." && !strings.HasSuffix(file, "_test.go") && strings.HasSuffix(r.text, "/"+dir)
	case "python":
		bare = strings.TrimSuffix(bare, "/__init__")
		dots := len(r.text) - len(strings.TrimLeft(r.text, "."))
		at := strings.ReplaceAll(r.text[dots:], ".", "/")
		if at == "" {
			return false
		}
		if dots > 0 {
			for range dots - 1 {
				from = path.Dir(from)
			}
			return bare == path.Join(from, at)
		}
		return bare == at || bare == "src/"+at || strings.Contains(at, "/") && endsWith(bare, at) || bare == path.Join(from, at)
	case "js":
		spec := r.text
		for _, ext := range []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx"} {
			spec = strings.TrimSuffix(spec, ext)
		}
		switch {
		case strings.HasPrefix(spec, "."):
			spec = path.Join(from, spec)
		case strings.HasPrefix(spec, "@/"), strings.HasPrefix(spec, "~/"):
			return endsWith(bare, spec[2:]) || endsWith(bare, spec[2:]+"/index")
		default:
			return strings.Contains(spec, "/") && (bare == spec || bare == "src/"+spec)
		}
		return bare == spec || bare == path.Join(spec, "index")
	case "rust":
		bare = strings.TrimSuffix(bare, "/mod")
		if mod, ok := strings.CutPrefix(r.text, "mod"); ok && strings.HasPrefix(mod, " ") {
			if s := stem(r.file.now.path); s != "mod" && s != "lib" && s != "main" {
				from = path.Join(from, s)
			}
			return bare == path.Join(from, strings.TrimSpace(mod))
		}
		at, ok := strings.CutPrefix(r.text, "crate::")
		root, inside, found := strings.Cut("/"+bare, "/src/")
		ownRoot, _, _ := strings.Cut("/"+r.file.now.path, "/src/")
		return ok && found && root == ownRoot && (at+"::" == strings.ReplaceAll(inside, "/", "::")+"::" || strings.HasPrefix(at, strings.ReplaceAll(inside, "/", "::")+"::"))
	case "c", "proto":
		return file == path.Join(from, r.text) || endsWith(file, path.Clean(r.text))
	case "jvm":
		return strings.Contains(r.text, ".") && endsWith(bare, strings.ReplaceAll(r.text, ".", "/"))
	case "php":
		at := strings.ReplaceAll(r.text, `\`, "/")
		if at != r.text { // a namespace: its first part often differs from the folder's name
			if parts := strings.Split(at, "/"); len(parts) > 2 {
				at = strings.Join(parts[1:], "/")
			}
			return endsWith(bare, at)
		}
		return file == path.Join(from, at) || file == path.Clean(at)
	case "ruby":
		if at, ok := strings.CutPrefix(r.text, "require_relative"); ok {
			return bare == path.Join(from, strings.TrimSuffix(strings.Trim(at, " \t(\"'"), ".rb"))
		}
		return bare == r.text || endsWith(bare, "lib/"+r.text)
	case "shell":
		return file == path.Join(from, r.text) || file == path.Clean(strings.TrimPrefix(r.text, "/")) || strings.Contains(r.text, "/") && endsWith(file, r.text)
	case "lua":
		return bare == strings.ReplaceAll(r.text, ".", "/") || endsWith(bare, strings.ReplaceAll(r.text, ".", "/")) && strings.Contains(r.text, ".")
	case "dart", "zig":
		return file == path.Join(from, r.text)
	}
	return false
}

// endsWith reports whether a path ends with another, at a slash.
func endsWith(file, end string) bool {
	return file == end || end != "" && strings.HasSuffix(file, "/"+end)
}
