//go:build unix

package integration

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// onlySQLite are the statements that other engines need not accept, by parts of their texts.
var onlySQLite = []struct{ part, why string }{
	{"memory_index", "the text index is FTS5; another engine has its own"},
	{"memory_vocabulary", "the words of the text index"},
	{"memory_terms", "follows from the text index"},
	{"memory_words", "follows from the text index"},
	{"memory_vectors", "follows from memories; bytes have a type of their own elsewhere"},
	{"PRAGMA", "settings and facts of the file"},
	{"pragma_", "settings and facts of the file"},
	{"sqlite_", "SQLite's own tables and functions"},
	{"total_changes()", "whether the file is to be signed anew"},
	{"EXPLAIN QUERY PLAN", "tests look at SQLite's plans"},
	{"VACUUM", "works on the file"},
	{"temp.", "how tests check the scopes of writes"},
}

// PostgreSQL must be able to prepare every statement that the tests run or that is complete in the source, because a team's registry
// may be on a server.
func TestStatementsPrepareOnPostgreSQL(t *testing.T) {
	t.Parallel()
	if os.Getenv("AGIT_SQL") == "" {
		t.Skip("runs with AGIT_SQL=1, by make check-sql: unless AGIT_STATEMENTS names what tests left, it runs the tests of all modules")
	}
	ask := registrytest.PostgreSQL(t)
	migrations, err := filepath.Glob("../shared/registry/migrations/*.sql")
	if err != nil || len(migrations) == 0 {
		t.Fatal(migrations, err)
	}
	var schema strings.Builder
	for _, file := range migrations {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		own, err := os.ReadFile(filepath.Join(filepath.Dir(file), "postgres", filepath.Base(file)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		schema.WriteString(registry.PostgreSQLText(string(text) + "\n" + string(own)))
	}
	schema.WriteString("CREATE TABLE write_locks (project_id BIGINT PRIMARY KEY);")
	if out, err := ask(schema.String()); err != nil || strings.Contains(out, "ERROR") {
		t.Fatalf("%v\n%s", err, out)
	}
	statements := append(statementsOfTests(t), statementsOfSource(t)...)
	slices.Sort(statements)
	statements = slices.Compact(statements)
	statements = slices.DeleteFunc(statements, func(s string) bool { return strings.Contains(s, registrytest.Between) }) // tests of a file's rows
	if len(statements) < 500 {
		t.Errorf("the tests ran only %d statements", len(statements))
	}
	var all strings.Builder
	for i, s := range statements {
		fmt.Fprintf(&all, "\\echo statement %d\nPREPARE s%d AS %s;\n", i, i, numbered(registry.Views(s)))
	}
	out, err := ask(all.String())
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	said := map[int]string{}
	at := -1
	for line := range strings.Lines(out) {
		if _, err := fmt.Sscanf(line, "statement %d", &at); err != nil && strings.HasPrefix(line, "ERROR") && said[at] == "" {
			said[at] = strings.TrimSpace(line)
		}
	}
	if at != len(statements)-1 {
		t.Fatalf("PostgreSQL answered %d of %d statements:\n%.2000s", at+1, len(statements), out)
	}
	for i, s := range statements {
		if said[i] != "" {
			t.Errorf("%s\n\t%s", said[i], s)
		}
	}
	t.Logf("%d statements, %d refused", len(statements), len(said))
}

// traced are the packages whose tests open a registry through registrytest, directly or through a fixture. The registry's own tests are
// for SQLite.
func traced(t *testing.T) (packages []string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-test", "-f", `{{if .Name | eq "main"}}{{.ImportPath}} {{.Deps}}{{end}}`, "work").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		program, deps, _ := strings.Cut(line, " ")
		path, isTest := strings.CutSuffix(program, ".test")
		if isTest && regexp.MustCompile(`/registrytest[] ]`).MatchString(deps) && !strings.HasSuffix(path, "/shared/registry") && !strings.HasSuffix(path, "/integration") {
			packages = append(packages, path)
		}
	}
	return packages
}

// statementsOfTests runs the tests and returns the statements that another engine must accept, sorted, with lists of rows reduced to
// one.
func statementsOfTests(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("AGIT_STATEMENTS") // from a run of all tests just before
	if dir == "" {
		dir = t.TempDir()
		cmd := exec.Command("go", append([]string{"test", "-short", "-count=1"}, traced(t)...)...)
		cmd.Env = append(os.Environ(), registrytest.TraceVariable+"="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("a traced test fails, which is reported where it is run for itself: %v\n%s", err, out)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(file string) bool { // those of the registry itself care for the file
		return strings.HasPrefix(filepath.Base(file), "registry.test") || strings.HasPrefix(filepath.Base(file), "integration.test")
	})
	rows := regexp.MustCompile(`(\((?:\?, )*\?\), )+(\((?:\?, )*\?\))`)
	list := regexp.MustCompile(`\?(, \?){8,}`)
	seen := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for s := range bytes.SplitSeq(content, []byte{0}) {
			text := rows.ReplaceAllString(string(s), "$2")
			if strings.HasPrefix(text, "SELECT") {
				text = list.ReplaceAllString(text, "?, ?")
			}
			if text != "" && !exempt(text) {
				seen[text] = true
			}
		}
	}
	all := make([]string, 0, len(seen))
	for s := range seen {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

func exempt(statement string) bool {
	for _, schema := range []string{"--", "CREATE ", "ALTER ", "DROP ", "ANALYZE", "SAVEPOINT ", "RELEASE ", "ROLLBACK "} { // no engine prepares these
		if strings.HasPrefix(statement, schema) {
			return true
		}
	}
	return slices.ContainsFunc(onlySQLite, func(e struct{ part, why string }) bool { return strings.Contains(statement, e.part) })
}

// numbered rewrites parameters for PostgreSQL: $1, $2, outside of strings.
func numbered(statement string) string {
	var out strings.Builder
	n, quoted := 0, false
	for _, r := range statement {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == '?' && !quoted:
			n++
			fmt.Fprintf(&out, "$%d", n)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
