package integration

import (
	"os"
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

func TestEveryDependencyHasAReason(t *testing.T) {
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
	for path := range direct {
		if !strings.Contains(string(page), "`"+path+"`") {
			t.Errorf("docs/dependencies.md does not say why %s", path)
		}
	}
	for _, named := range regexp.MustCompile("(?m)^\\| `([^`]+)`(?:, `([^`]+)`)?").FindAllStringSubmatch(string(page), -1) {
		for _, path := range named[1:] {
			if path != "" && !direct[path] {
				t.Errorf("docs/dependencies.md explains %s, which no module requires directly", path)
			}
		}
	}
}

// TestEachTableHasOneWriter holds the table of docs/architecture.md: a statement
// that writes a table stands in the package that owns it.
func TestEachTableHasOneWriter(t *testing.T) {
	page, err := os.ReadFile("../docs/architecture.md")
	must(t, err)
	_, section, ok := strings.Cut(string(page), "## Tables and their writers")
	if !ok {
		t.Fatal("docs/architecture.md has no table of writers")
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
				t.Errorf("docs/architecture.md names no writer of %s", table[1])
			}
		}
	}
	writes := regexp.MustCompile(`\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+([a-z_]+)\b`)
	for _, module := range []string{"agit", "citecheck", "classify", "memoryd", "pmsync", "pmsync/schematest", "shared"} {
		must(t, filepath.WalkDir(filepath.Join("..", module), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			dir, _ := filepath.Rel("..", filepath.Dir(path))
			for _, statement := range writes.FindAllStringSubmatch(string(text), -1) {
				if owner := owners[statement[1]]; owner != nil && !slices.Contains(owner, filepath.ToSlash(dir)) {
					t.Errorf("%s writes %s, which is %s's to write", path, statement[1], strings.Join(owner, " and "))
				}
			}
			return nil
		}))
	}
}
