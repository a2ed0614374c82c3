package framework

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// languageOf returns a language for a project of an ecosystem.
var languageOf = map[manifest.Ecosystem]string{
	manifest.NPM: "JavaScript", manifest.PyPI: "Python", manifest.RubyGems: "Ruby", manifest.Composer: "PHP",
	manifest.Go: "Go", manifest.Cargo: "Rust", manifest.Maven: "Java",
	manifest.NuGet: "C#", manifest.Hex: "Elixir", manifest.Pub: "Dart", manifest.SwiftPM: "Swift", manifest.Native: "C++",
}

// Every row has a project in testdata/rows whose main framework it must be, and every project there has its row.
func TestEveryRowIsProved(t *testing.T) {
	projects := map[manifest.Ecosystem]map[string]fstest.MapFS{}
	for eco := range languageOf {
		_, files := archive(t, filepath.Join("testdata", "rows", string(eco)+".txtar"))
		projects[eco] = map[string]fstest.MapFS{}
		for name, content := range files {
			project, file, _ := strings.Cut(name, "/")
			if projects[eco][project] == nil {
				projects[eco][project] = fstest.MapFS{}
			}
			projects[eco][project][file] = &fstest.MapFile{Data: []byte(content)}
		}
	}
	for _, r := range table() {
		project := projects[r.eco][r.name]
		if project == nil {
			t.Errorf("row %s has no project in testdata/rows/%s.txtar", r.name, r.eco)
			continue
		}
		delete(projects[r.eco], r.name)
		matches := detect(project, languageOf[r.eco])
		if len(matches) == 0 || matches[0].Name != r.name {
			t.Errorf("row %s of %s: found %v", r.name, r.eco, summary(matches))
		}
	}
	for eco, left := range projects {
		for name := range left {
			t.Errorf("project %s in testdata/rows/%s.txtar has no row", name, eco)
		}
	}
}

// A name belongs to one row, whatever its spelling, and each name of a row finds it.
func TestNamesAreUnique(t *testing.T) {
	byName := map[string]string{}
	for _, r := range table() {
		key := string(r.eco) + " " + plain(r.name)
		if other, ok := byName[key]; ok {
			t.Errorf("%s and %s of %s are one name", r.name, other, r.eco)
		}
		byName[key] = r.name
		if r.name != strings.ToLower(r.name) || strings.ContainsAny(r.name, " /|") {
			t.Errorf("%q is not a canonical name: lower case without spaces and slashes", r.name)
		}
		if strings.TrimSpace(r.any+r.also+r.files+r.imports) == "" {
			t.Errorf("%s has nothing to be told by", r.name)
		}
	}
}

// A framework that a project only tries out, documents or tests is not its main one, nor are assets beside a program. See the fixtures.
func TestTraps(t *testing.T) {
	fixtures, err := filepath.Glob("testdata/traps/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	perEcosystem := map[string]int{}
	for _, fixture := range fixtures {
		ecosystem := filepath.Base(filepath.Dir(fixture))
		perEcosystem[ecosystem]++
		t.Run(ecosystem+"/"+strings.TrimSuffix(filepath.Base(fixture), ".txtar"), func(t *testing.T) {
			head, files := archive(t, fixture)
			said := map[string]string{}
			for line := range strings.SplitSeq(head, "\n") {
				if key, value, ok := strings.Cut(line, ": "); ok {
					said[key] = value
				}
			}
			if said["Guards"] == "" || said["language"] == "" || said["framework"] == "" {
				t.Fatal("the fixture must say what it guards, its language and its framework")
			}
			project := fstest.MapFS{}
			for name, content := range files {
				project[name] = &fstest.MapFile{Data: []byte(content)}
			}
			matches := detect(project, said["language"])
			got := "none"
			if len(matches) > 0 && matches[0].Main {
				got = matches[0].Name
			}
			if got != said["framework"] {
				t.Errorf("%s\nfound %v, want %s", said["Guards"], summary(matches), said["framework"])
			}
		})
	}
	rows := map[manifest.Ecosystem]int{}
	for _, r := range table() {
		rows[r.eco]++
	}
	for eco := range languageOf {
		if rows[eco] >= 35 && perEcosystem[string(eco)] < 10 { // a small table has few traps
			t.Errorf("%s has %d projects in testdata/traps, fewer than 10", eco, perEcosystem[string(eco)])
		}
	}
}

func detect(project fstest.MapFS, language string) []Match {
	files := slices.Sorted(maps.Keys(project))
	return Detect(Facts{
		Language:  language,
		Manifests: manifest.ReadAll(project, files),
		Files:     files,
		Read: func(path string) []byte {
			data, _ := fs.ReadFile(project, path)
			return data
		},
	})
}

func summary(matches []Match) []string {
	var all []string
	for _, m := range matches {
		all = append(all, m.Name+" ("+strings.Join(m.Why, ", ")+")")
	}
	return all
}

// archive reads "-- name --" sections and the comment before them.
func archive(t *testing.T, file string) (comment string, files map[string]string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	name := ""
	for line := range strings.Lines(string(data)) {
		if head, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "-- "); ok && strings.HasSuffix(head, " --") {
			name = strings.TrimSuffix(head, " --")
			files[name] = ""
			continue
		}
		if name == "" {
			comment += line
		} else {
			files[name] += line
		}
	}
	return comment, files
}
