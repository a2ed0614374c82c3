package integration

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// modules are the folders of the workspace, as go.work lists them.
func modules(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile("../go.work")
	must(t, err)
	for _, folder := range regexp.MustCompile(`(?m)^\t\./(\S+)$`).FindAllStringSubmatch(string(text), -1) {
		all = append(all, folder[1])
	}
	if len(all) == 0 {
		t.Fatal("go.work lists no module")
	}
	return all
}

// sources returns the Go files that are not tests, by path from the repository's root, without those below the skipped folders.
func sources(t *testing.T, without ...string) (all []string) {
	t.Helper()
	must(t, filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == ".." {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "../")
		switch {
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || slices.Contains(without, name)):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			all = append(all, name)
		}
		return nil
	}))
	return all
}

func TestEveryDependencyHasAReason(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/dependencies.md")
	must(t, err)
	direct := map[string]bool{}
	for _, module := range modules(t) {
		text, err := os.ReadFile(filepath.Join("..", module, "go.mod"))
		must(t, err)
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
			if len(fields) == 2 && strings.Contains(fields[0], ".") && strings.HasPrefix(fields[1], "v") && !strings.HasPrefix(fields[0], "github.com/agit-suite/") {
				direct[fields[0]] = true
			}
		}
	}
	if len(direct) == 0 {
		t.Fatal("no dependency was found in the go.mod files")
	}
	for module := range direct {
		if !strings.Contains(string(page), "`"+module+"`") {
			t.Errorf("docs/dependencies.md does not say why %s", module)
		}
	}
	for _, named := range regexp.MustCompile("(?m)^\\| `([^`]+)`(?:, `([^`]+)`)?").FindAllStringSubmatch(string(page), -1) {
		for _, module := range named[1:] {
			if module != "" && !direct[module] {
				t.Errorf("docs/dependencies.md explains %s, which no module requires directly", module)
			}
		}
	}
}

// TestEachTableHasOneWriter checks the table in docs/registry.md: a statement that writes a table is in the package that owns it.
func TestEachTableHasOneWriter(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/registry.md")
	must(t, err)
	_, section, ok := strings.Cut(string(page), "## Tables and their writers")
	if !ok {
		t.Fatal("docs/registry.md has no table of writers")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	quoted := regexp.MustCompile("`([^`]+)`")
	owners := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, table := range quoted.FindAllStringSubmatch(cells[1], -1) {
			for _, owner := range quoted.FindAllStringSubmatch(cells[2], -1) {
				owners[table[1]] = append(owners[table[1]], owner[1])
			}
		}
	}
	migrations, err := filepath.Glob("../shared/registry/migrations/*.sql")
	must(t, err)
	created := regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)
	for _, file := range migrations {
		text, err := os.ReadFile(file)
		must(t, err)
		for _, table := range created.FindAllStringSubmatch(string(text), -1) {
			if owners[table[1]] == nil {
				t.Errorf("docs/registry.md names no writer of %s", table[1])
			}
		}
	}
	writes := regexp.MustCompile(`\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+([a-z_]+)\b`)
	for _, file := range sources(t, "integration") {
		text, err := os.ReadFile(filepath.Join("..", file))
		must(t, err)
		for _, statement := range writes.FindAllStringSubmatch(string(text), -1) {
			if owner := owners[statement[1]]; owner != nil && !slices.Contains(owner, path.Dir(file)) {
				t.Errorf("%s writes %s, which is %s's to write", file, statement[1], strings.Join(owner, " and "))
			}
		}
	}
}
