package uses

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files are texts by path.
type files map[string]string

// side returns base with some files set, as a side and its tree; an empty text removes a file.
func side(base, set files) (*Side, Tree) {
	now := maps.Clone(base)
	var changed []File
	for _, file := range slices.Sorted(maps.Keys(set)) {
		text, before := set[file], base[file]
		now[file] = text
		if text == "" {
			delete(now, file)
		}
		changed = append(changed, File{Path: file, Base: before, Now: text, Removed: text == ""})
	}
	untouched := maps.Clone(now)
	for file := range set {
		delete(untouched, file)
	}
	return NewSide(changed), &tree{now, untouched}
}

type tree struct{ all, untouched files }

func (t *tree) Holding(names []string) (map[string][]string, error) {
	found := map[string][]string{}
	for _, n := range names {
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(n) + `\b`)
		for _, file := range slices.Sorted(maps.Keys(t.untouched)) {
			if word.MatchString(t.untouched[file]) {
				found[n] = append(found[n], file)
			}
		}
	}
	return found, nil
}

func (t *tree) Text(file string) (string, error) { return t.untouched[file], nil }
func (t *tree) Paths() ([]string, error)         { return slices.Sorted(maps.Keys(t.all)), nil }

// outline returns a finding in one line.
func outline(f Finding) string {
	user, other := "a", "b"
	if f.Swapped {
		user, other = other, user
	}
	text := fmt.Sprintf("%s:%d (%s) %s %s, %s %s:%d (%s)", f.File, f.Line, user, f.What, f.Name, f.Rule, f.OldFile, f.OldLine, other)
	if f.To != "" {
		text += " to " + f.To
	}
	if !f.Certain {
		text += ", likely"
	}
	return text
}

func judged(t *testing.T, base, a, b files) []string {
	t.Helper()
	sideA, treeA := side(base, a)
	sideB, treeB := side(base, b)
	found, err := Judge(sideA, sideB, treeA, treeB)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, f := range found {
		lines = append(lines, outline(f))
	}
	return lines
}

func TestJudge(t *testing.T) {
	t.Parallel()
	price := "package cart\n\n// Price is what it costs.\nfunc Price(n int) int {\n\treturn n * 3\n}\n"
	total := "package cart\n\nfunc Total() int {\n\treturn 0\n}\n"
	shop := files{"cart/price.go": price, "cart/total.go": total, "web/page.go": "package web\n\nimport \"shop/cart\"\n\nfunc Page() int { return cart.Total() }\n"}
	for _, c := range []struct {
		name       string
		base, a, b files
		want       []string
	}{
		{"a function that was renamed", shop,
			files{"cart/total.go": "package cart\n\nfunc Total() int {\n\treturn Price(2)\n}\n"},
			files{"cart/price.go": "package cart\n\n// UnitPrice is what it costs.\nfunc UnitPrice(n int) int {\n\treturn n * 3\n}\n"},
			[]string{"cart/total.go:4 (a) function Price, renamed cart/price.go:4 (b) to UnitPrice"}},
		{"a function that was removed, from another package", shop,
			files{"cart/price.go": "package cart\n"},
			files{"web/page.go": "package web\n\nimport \"shop/cart\"\n\nfunc Page() int { return cart.Price(1) }\n"},
			[]string{"web/page.go:5 (b) function Price, removed cart/price.go:4 (a)"}},
		{"a name in a comment or a string is not a use", shop,
			files{"cart/price.go": "package cart\n"},
			files{"web/page.go": "package web\n\n// Page shows Price(1).\nfunc Page() string { return \"Price\" }\n"},
			[]string{}},
		{"a name of another package", shop,
			files{"cart/price.go": "package cart\n"},
			files{"web/page.go": "package web\n\nimport \"other/tax\"\n\nfunc Page() int { return tax.Price(1) }\n"},
			[]string{}},
		{"parameters", shop,
			files{"cart/price.go": "package cart\n\nfunc Price(n int, currency string) int {\n\treturn n * 3\n}\n"},
			files{"web/page.go": "package web\n\nimport \"shop/cart\"\n\nfunc Page() int { return cart.Price(1) }\n"},
			[]string{"web/page.go:5 (b) function Price, parameters cart/price.go:3 (a) to (n int, currency string), likely"}},
		{"one definition twice", shop,
			files{"cart/tax.go": "package cart\n\nfunc Tax() int { return 1 }\n"},
			files{"cart/rate.go": "package cart\n\nfunc Tax() int { return 2 }\n"},
			[]string{"cart/tax.go:3 (a) function Tax, duplicate cart/rate.go:3 (b)"}},
		{"a module that was moved", files{"app/util.py": "def one():\n    return 1\n", "app/main.py": "x = 1\n"},
			files{"app/util.py": "", "app/tools.py": "def one():\n    return 1\n"},
			files{"app/main.py": "from app.util import one\nx = 1\n"},
			[]string{"app/main.py:1 (b) file app/util.py, file app/util.py:0 (a)"}},
		{"a dependency that was dropped", files{"package.json": "{\n  \"dependencies\": {\n    \"left-pad\": \"1\",\n    \"zod\": \"3\"\n  }\n}\n", "a.ts": "let x = 1\n"},
			files{"package.json": "{\n  \"dependencies\": {\n    \"zod\": \"3\"\n  }\n}\n"},
			files{"a.ts": "import pad from 'left-pad'\nlet x = 1\n"},
			[]string{"a.ts:1 (b) dependency left-pad, dependency package.json:3 (a)"}},
		{"a migration's number", files{"db/migrations/0001_first.sql": "create table a (x int);\n"},
			files{"db/migrations/0002_users.sql": "create table users (x int);\n"},
			files{"db/migrations/0002_teams.sql": "create table teams (x int);\n"},
			[]string{"db/migrations/0002_users.sql:1 (a) migration 2, number db/migrations/0002_teams.sql:1 (b)"}},
		{"a route", files{"app.py": "app = App()\n\n\n\n\n\nend = 1\n"},
			files{"app.py": "app = App()\n@app.get('/users')\ndef users():\n    return 1\n\n\n\n\n\nend = 1\n"},
			files{"app.py": "app = App()\n\n\n\n\n\nend = 1\n@app.get('/users')\ndef people():\n    return 2\n"},
			[]string{"app.py:2 (a) route get /users, number app.py:8 (b)"}},
		{"a port of a composition", files{"docker-compose.yml": "services:\n  a:\n    image: a\n"},
			files{"docker-compose.yml": "services:\n  a:\n    image: a\n    ports:\n      - \"8080:80\"\n"},
			files{"docker-compose.yml": "services:\n  b:\n    image: b\n    ports:\n      - 8080:81\n  a:\n    image: a\n"},
			[]string{"docker-compose.yml:5 (a) port 8080, number docker-compose.yml:5 (b)"}},
		{"a port in settings", files{"conf/a.yml": "x: 1\n", "conf/b.yml": "y: 1\n", "conf/notes.md": "z\n"},
			files{"conf/a.yml": "x: 1\nport: 9090\n"},
			files{"conf/b.yml": "y: 1\nhttp_port: 9090\n", "conf/notes.md": "port: 9090\n"},
			[]string{"conf/a.yml:2 (a) port 9090, number conf/b.yml:2 (b), likely"}},
		{"an enum's number", files{"a.proto": "enum Kind {\n  NONE = 0;\n}\n"},
			files{"a.proto": "enum Kind {\n  NONE = 0;\n  FAST = 1;\n}\n"},
			files{"a.proto": "enum Kind {\n  SLOW = 1;\n  NONE = 0;\n}\n"},
			[]string{"a.proto:3 (a) enum number 1, number a.proto:2 (b)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, judged(t, c.base, c.a, c.b)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
