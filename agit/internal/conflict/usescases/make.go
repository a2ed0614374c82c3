package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// cases makes n cases, taking the operations in turn; fewer when a repository has no place for more.
func (m *maker) cases(n int) (all []*madeCase) {
	order := m.rand.Perm(len(m.funcs))
	turn, failed := 0, 0
	for len(all) < n && failed < 4*len(operations)*len(operations) && len(order) > 0 {
		op := operations[turn%len(operations)]
		turn++
		var c *madeCase
		for tries := 0; c == nil && tries < 40; tries++ {
			f := m.funcs[order[m.rand.IntN(len(order))]]
			switch op {
			case "rename", "remove", "parameters":
				c = m.changed(op, f)
			case "duplicate":
				c = m.duplicated(f)
			case "move":
				c = m.moved()
			case "dependency":
				c = m.dropped()
			}
		}
		if c == nil {
			failed++
			continue
		}
		c.operation = op
		all = append(all, c)
	}
	return all
}

// callers returns the functions that call f, other than f.
func (m *maker) callers(f *function) (all []*function) {
	for _, g := range m.funcs {
		if g == f || g.file == f.file && g.first <= f.last && f.first <= g.last || path.Ext(g.file) != path.Ext(f.file) || g.name == f.name {
			continue
		}
		lines := strings.Split(m.files[g.file], "\n")
		for _, line := range lines[g.first : g.last+1][1:] {
			if f.call.MatchString(code(line)) {
				all = append(all, g)
				break
			}
		}
	}
	return all
}

var (
	stringForm  = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`")
	commentForm = regexp.MustCompile(`//.*|^\s*[*#].*|\s#.*|/\*.*?\*/`)
)

// code returns a line without its strings and comments.
func code(line string) string {
	return commentForm.ReplaceAllString(stringForm.ReplaceAllString(line, `""`), "")
}

// copied returns a file with a copy of a function appended, under another name.
func (m *maker) copied(g *function) change {
	lines := strings.Split(m.files[g.file], "\n")
	body := strings.Join(lines[g.first:g.last+1], "\n")
	body = regexp.MustCompile(`\b`+g.name+`\b`).ReplaceAllString(body, g.name+"Again")
	return g.followedBy(lines, body)
}

// followedBy returns the lines of a function's file with a text behind the function.
func (f *function) followedBy(lines []string, body string) change {
	return change{f.file: strings.Join(slices.Insert(slices.Clone(lines), f.last+1, "", body), "\n")}
}

// unrelated returns a copy of a function that does not contain the name.
func (m *maker) unrelated(f *function) change {
	for range 50 {
		g := m.funcs[m.rand.IntN(len(m.funcs))]
		if path.Ext(g.file) != path.Ext(f.file) || g.file == f.file {
			continue
		}
		c := m.copied(g)
		lines := strings.Split(m.files[g.file], "\n")
		if !strings.Contains(strings.Join(lines[g.first:g.last+1], "\n"), f.name) {
			return c
		}
	}
	return nil
}

// replaced renames a word in all code of one kind of file.
func (m *maker) replaced(f *function, to string) change {
	word := regexp.MustCompile(`\b` + f.name + `\b`)
	c := change{}
	for _, file := range m.order {
		if sameLanguage(file, f.file) && strings.Contains(m.files[file], f.name) {
			if text := word.ReplaceAllString(m.files[file], to); text != m.files[file] {
				c[file] = text
			}
		}
	}
	return c
}

func sameLanguage(a, b string) bool {
	group := func(file string) string {
		ext := path.Ext(file)
		if slices.Contains([]string{".ts", ".tsx", ".js", ".mjs"}, ext) {
			return "js"
		}
		if ext == ".h" {
			return ".c"
		}
		return ext
	}
	return group(a) == group(b)
}

// changed has one side rename, remove or change a function and everything that calls it, and the other call it once more.
func (m *maker) changed(op string, f *function) *madeCase {
	if len(m.byName[f.name]) != 1 || len(f.name) < 4 || m.count[f.name] > 25 || path.Base(path.Dir(f.file)) == "test" && op == "remove" {
		return nil
	}
	callers := m.callers(f)
	if strings.Contains(strings.Split(m.files[f.file], "\n")[f.first], "private ") {
		callers = slices.DeleteFunc(callers, func(g *function) bool { return g.file != f.file })
	}
	if len(callers) == 0 {
		return nil
	}
	g := callers[m.rand.IntN(len(callers))]
	c := &madeCase{about: f.name, file: g.file, b: m.copied(g), harmless: m.unrelated(f)}
	switch op {
	case "rename":
		c.a = m.replaced(f, "fresh"+strings.ToUpper(f.name[:1])+f.name[1:])
	case "remove":
		if op == "remove" && len(callers) > 6 {
			return nil
		}
		c.a = m.replaced(f, "elsewhere")
		lines := strings.Split(c.a[f.file], "\n")
		c.a[f.file] = strings.Join(append(slices.Clone(lines[:f.first]), lines[f.last+1:]...), "\n")
	case "parameters":
		c.a = m.reshaped(f)
	}
	if len(c.a) == 0 {
		return nil
	}
	return c
}

// reshaped appends a parameter to a function, and an argument to each call that is on one line.
func (m *maker) reshaped(f *function) change {
	added := map[string]string{".go": "extra int", ".py": "extra", ".ts": "extra: number", ".js": "extra", ".java": "int extra", ".rs": "extra: u32", ".c": "int extra"}[path.Ext(f.file)]
	lines := strings.Split(m.files[f.file], "\n")
	at := f.call.FindStringIndex(lines[f.first])
	if at == nil {
		return nil
	}
	end := closing(lines[f.first], at[1]-1)
	if end < 0 {
		return nil
	}
	head := lines[f.first]
	inside := strings.TrimSpace(head[at[1]:end])
	if strings.Contains(inside, "*") && path.Ext(f.file) == ".py" || strings.Contains(inside, "...") {
		return nil
	}
	if inside == "void" {
		head, end, inside = head[:at[1]]+head[end:], at[1], ""
	}
	if inside != "" {
		added = ", " + added
	}
	lines = slices.Clone(lines)
	lines[f.first] = head[:end] + added + head[end:]
	c := change{f.file: strings.Join(lines, "\n")}
	for _, file := range m.order {
		if !sameLanguage(file, f.file) || !strings.Contains(m.files[file], f.name) {
			continue
		}
		text := m.files[file]
		if file == f.file {
			text = c[file]
		}
		rows := strings.Split(text, "\n")
		for i, row := range rows {
			place := f.call.FindStringIndex(row)
			if place == nil || file == f.file && i == f.first {
				continue
			}
			if end := closing(row, place[1]-1); end > 0 {
				more := ", 0"
				if strings.TrimSpace(row[place[1]:end]) == "" {
					more = "0"
				}
				rows[i] = row[:end] + more + row[end:]
			}
		}
		if text = strings.Join(rows, "\n"); text != m.files[file] {
			c[file] = text
		}
	}
	return c
}

// closing returns the place where the bracket at open is closed on its line, -1 when it is not.
func closing(line string, open int) int {
	depth := 0
	for i := open; i < len(line); i++ {
		switch line[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// duplicated has both sides add a function of one name to a file, at different places.
func (m *maker) duplicated(f *function) *madeCase {
	var inFile []*function
	for _, g := range m.funcs {
		if g.file == f.file {
			inFile = append(inFile, g)
		}
	}
	at := slices.Index(inFile, f)
	if at+1 >= len(inFile) || strings.HasPrefix(f.name, "test") {
		return nil
	}
	other := inFile[at+1+m.rand.IntN(len(inFile)-at-1)]
	lines := strings.Split(m.files[f.file], "\n")
	indent := func(g *function) int { return len(lines[g.first]) - len(strings.TrimLeft(lines[g.first], " \t")) }
	if indent(f) != indent(other) || len(m.byName[f.name]) != 1 || f.first > 0 && strings.HasPrefix(strings.TrimSpace(lines[f.first-1]), "@") {
		return nil
	}
	for i := f.first; i <= other.first && indent(f) > 0; i++ {
		if lines[i] != "" && !strings.ContainsAny(lines[i][:1], " \t#") {
			return nil // another class, or another function around it
		}
	}
	name := fmt.Sprintf("brandNew%d", m.made+at)
	if path.Ext(f.file) == ".py" || path.Ext(f.file) == ".rs" || path.Ext(f.file) == ".c" {
		name = fmt.Sprintf("brand_new_%d", m.made+at)
	}
	add := func(behind *function, name string) change {
		body := regexp.MustCompile(`\b`+f.name+`\b`).ReplaceAllString(strings.Join(lines[f.first:f.last+1], "\n"), name)
		return behind.followedBy(lines, body)
	}
	return &madeCase{about: name, file: f.file, a: add(f, name), b: add(other, name), harmless: add(other, name+"0")}
}

// imports match the lines that name a file, given its path; by extension.
func importOf(file string) (line *regexp.Regexp, from, to string) {
	base := strings.TrimSuffix(path.Base(file), path.Ext(file))
	switch path.Ext(file) {
	case ".py":
		return regexp.MustCompile(`^from \.` + base + ` import \w+$`), base, base + "_moved"
	case ".ts", ".js":
		return regexp.MustCompile(`^import .* from ["'][./\w]*/` + regexp.QuoteMeta(base) + `["'];?$`), "/" + base, "/" + base + "Moved"
	case ".h":
		return regexp.MustCompile(`^#include "(?:\w+/)?` + regexp.QuoteMeta(base) + `\.h"$`), base + ".h", base + "_moved.h"
	case ".java":
		return regexp.MustCompile(`^import [\w.]+\.` + base + `;$`), base, base + "Moved"
	}
	return nil, "", ""
}

// moved has one side move a file with all imports of it, and the other import it in one more file of the same folder.
func (m *maker) moved() *madeCase {
	file := m.order[m.rand.IntN(len(m.order))]
	form, from, to := importOf(file)
	if form == nil || strings.Contains(file, "index.") || strings.Contains(file, "__init__") {
		return nil
	}
	for _, other := range m.order {
		if path.Base(other) == path.Base(file) && other != file {
			return nil
		}
	}
	name := strings.TrimPrefix(strings.TrimSuffix(from, ".h"), "/")
	where := path.Join(path.Dir(file), strings.TrimPrefix(strings.TrimSuffix(to, ".h"), "/")+path.Ext(file))
	a := change{file: "", where: m.files[file]}
	var by, line string
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	for _, other := range m.order {
		if !sameLanguage(other, file) && !(path.Ext(file) == ".h" && path.Ext(other) == ".c") || other == file {
			continue
		}
		rows := strings.Split(m.files[other], "\n")
		touched := false
		for i, row := range rows {
			if form.MatchString(row) && (path.Ext(file) != ".py" || path.Dir(other) == path.Dir(file)) {
				by, line, touched = other, row, true
				rows[i] = strings.Replace(row, from, to, 1)
			} else if path.Ext(file) == ".java" && word.MatchString(row) {
				rows[i] = word.ReplaceAllString(row, name+"Moved")
				touched = true
			}
		}
		if touched {
			a[other] = strings.Join(rows, "\n")
		}
	}
	if by == "" {
		return nil
	}
	if path.Ext(file) == ".java" {
		a[where] = word.ReplaceAllString(m.files[file], name+"Moved")
	}
	for _, user := range m.order {
		if path.Dir(user) != path.Dir(by) || path.Ext(user) != path.Ext(by) || a[user] != "" || user == file || user == by {
			continue
		}
		if b := withImport(m.files[user], line); b != "" {
			return &madeCase{about: path.Base(file), file: user, a: a, b: change{user: b}, harmless: nil}
		}
	}
	return nil
}

var anyImport = regexp.MustCompile(`^(import |from \S+ import |#include |use )\S.*[^({,]$`)

// withImport puts a line behind the last import of a text.
func withImport(text, line string) string {
	rows := strings.Split(text, "\n")
	last := -1
	for i, row := range rows {
		if anyImport.MatchString(row) {
			last = i
		}
	}
	if last < 0 || slices.Contains(rows, line) {
		return ""
	}
	return strings.Join(slices.Insert(slices.Clone(rows), last+1, line), "\n")
}

// dropped has one side drop a dependency from the manifest, and the other import it in a new place.
func (m *maker) dropped() *madeCase {
	type manifest struct {
		file, line, use string
		ext             []string
	}
	forms := []manifest{
		{"go.mod", `^\t(\S+\.\S+/\S+) v\S+$`, `^\t"%s[^"]*"$`, []string{".go"}},
		{"package.json", `^\s+"(@?[\w/.-]+)": "[^"]+",$`, `^import .* from ["']%s["'];?$`, []string{".ts", ".js"}},
		{"Cargo.toml", `^([\w-]+) = .*"$`, `^use %s(::[\w:]+)?;$`, []string{".rs"}},
		{"pyproject.toml", `^    "([\w-]+)[><=~].*",$`, `^(import %s|from %s import \w+)$`, []string{".py"}},
	}
	f := forms[m.rand.IntN(len(forms))]
	text, ok := m.files[f.file]
	if !ok {
		return nil
	}
	rows := strings.Split(text, "\n")
	for range 30 {
		i := m.rand.IntN(len(rows))
		found := regexp.MustCompile(f.line).FindStringSubmatch(rows[i])
		if found == nil {
			continue
		}
		dep := found[1]
		module := regexp.QuoteMeta(dep)
		if f.file == "Cargo.toml" || f.file == "pyproject.toml" {
			module = strings.ToLower(strings.ReplaceAll(dep, "-", "_"))
		}
		use := regexp.MustCompile(strings.ReplaceAll(f.use, "%s", module))
		var line string
		for _, file := range m.order {
			if !slices.Contains(f.ext, path.Ext(file)) {
				continue
			}
			for _, row := range strings.Split(m.files[file], "\n") {
				if use.MatchString(row) {
					line = row
				}
			}
		}
		if line == "" || strings.Count(text, `"`+dep+`"`) > 1 || strings.Contains(strings.Join(slices.Delete(slices.Clone(rows), i, i+1), "\n"), dep+" ") {
			continue
		}
		for range 50 {
			user := m.order[m.rand.IntN(len(m.order))]
			if !slices.Contains(f.ext, path.Ext(user)) || strings.Contains(m.files[user], dep) {
				continue
			}
			b := ""
			if path.Ext(user) == ".go" {
				if before, after, ok := strings.Cut(m.files[user], "import (\n"); ok {
					b = before + "import (\n" + line + "\n" + after
				}
			} else {
				b = withImport(m.files[user], line)
			}
			if b != "" {
				return &madeCase{about: dep, file: user, a: change{f.file: strings.Join(slices.Delete(slices.Clone(rows), i, i+1), "\n")}, b: change{user: b}}
			}
		}
	}
	return nil
}
