package manifest

import (
	"cmp"
	"errors"
	"strings"

	"golang.org/x/mod/modfile"
)

// parseGoMod reads go.mod: the modules required directly, and the modules of its tools, which are written down as indirect.
func parseGoMod(d *draft, text string) {
	file, err := parseModfile(text)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		d.problem(modLine(err), "is not a valid go.mod throughout: %s", strings.TrimPrefix(first, "go.mod:"))
	}
	if file == nil {
		d.goLines(text)
		return
	}
	if file.Module != nil {
		d.Name = file.Module.Mod.Path
	}
	if file.Go != nil {
		d.property("go", file.Go.Version)
	}
	local := map[string]bool{}
	for _, r := range file.Replace {
		if r.New.Version == "" {
			local[r.Old.Path] = true // a replacement without version is a folder
		}
	}
	var modules []string
	for _, r := range file.Require {
		modules = append(modules, r.Mod.Path)
		if !r.Indirect {
			d.add(Dependency{Name: r.Mod.Path, Local: local[r.Mod.Path]})
		}
	}
	for _, tool := range file.Tool {
		d.named(Build, toolModule(modules, tool.Path))
	}
}

// toolModule returns the required module that contains the tool's package, else the package itself.
func toolModule(modules []string, tool string) string {
	best := ""
	for _, module := range modules {
		if len(module) > len(best) && (tool == module || strings.HasPrefix(tool, module+"/")) {
			best = module
		}
	}
	return cmp.Or(best, tool)
}

// parseModfile reads the full syntax of go.mod, with tools and replacements, and as much as possible of a file that is in error or newer
// than this program.
func parseModfile(text string) (file *modfile.File, err error) {
	defer recovered(&err)
	file, err = modfile.Parse("go.mod", []byte(text), nil)
	if err == nil {
		return file, nil
	}
	lax, laxErr := modfile.ParseLax("go.mod", []byte(text), nil)
	if laxErr != nil {
		return nil, laxErr
	}
	if onlyUnknown(err) {
		err = nil
	}
	return lax, err
}

// onlyUnknown reports whether all errors are directives that a newer Go may know.
func onlyUnknown(err error) bool {
	list, ok := errors.AsType[modfile.ErrorList](err)
	if !ok {
		return false
	}
	for _, e := range list {
		_, word, ok := strings.Cut(e.Error(), "unknown directive: ")
		if !ok {
			_, word, ok = strings.Cut(e.Error(), "unknown block type: ")
		}
		if !ok || word == "" || !isWord(rune(word[0])) {
			return false
		}
	}
	return true
}

func modLine(err error) int {
	if list, ok := errors.AsType[modfile.ErrorList](err); ok && len(list) > 0 {
		return list[0].Pos.Line
	}
	return 0
}

// goLines reads the valid lines of a broken go.mod.
func (d *draft) goLines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "module "); ok && d.Name == "" {
			d.Name = strings.Trim(strings.TrimSpace(name), `"`)
			continue
		}
		words := strings.Fields(strings.TrimPrefix(line, "require "))
		if len(words) >= 2 && strings.Contains(words[0], ".") && strings.Contains(words[0], "/") && !strings.Contains(line, "// indirect") && !strings.Contains(line, "=>") {
			d.named(Runtime, words[0])
		}
	}
}

// parseGoWork reads the folders that go.work uses.
func parseGoWork(d *draft, text string) {
	d.Workspace = true
	block := false
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		rest, use := strings.CutPrefix(line, "use")
		switch {
		case use && strings.TrimSpace(rest) == "(":
			block = true
		case block && line == ")":
			block = false
		case use && strings.HasPrefix(rest, " "):
			d.goUse(rest)
		case block && line != "":
			d.goUse(line)
		}
	}
}

func (d *draft) goUse(dir string) {
	dir = strings.Trim(strings.TrimSpace(dir), "\"`")
	d.Members = append(d.Members, strings.TrimSuffix(strings.TrimPrefix(dir, "./"), "/"))
}
