package inspect_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agit-suite/agit/classify/internal/inspect"
	"github.com/agit-suite/agit/classify/internal/profile"
)

// A fixture is a project in a few files, with the trap it is about and what its
// profile has to say. testdata/ECOSYSTEM.txt holds them:
//
//	=== the trap
//	called NAME · language php · framework laravel · dependencies a b
//	-- path --
//	text
//	-- path ×40 --
//	text that stands there 40 times
type fixture struct {
	trap  string
	want  [][2]string
	files [][2]string
}

func readFixtures(t *testing.T, path string) (all []fixture) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq("\n"+string(text), "\n=== ") {
		head, files, _ := strings.Cut(block, "\n-- ")
		trap, wants, ok := strings.Cut(head, "\n")
		if !ok {
			continue
		}
		f := fixture{trap: trap}
		for want := range strings.SplitSeq(strings.TrimSpace(wants), " · ") {
			field, value, _ := strings.Cut(want, " ")
			f.want = append(f.want, [2]string{field, value})
		}
		for file := range strings.SplitSeq(files, "\n-- ") {
			name, text, _ := strings.Cut(file, " --\n")
			name, times := repeated(t, strings.TrimSuffix(name, " --"))
			f.files = append(f.files, [2]string{name, strings.Repeat(text+"\n", times)})
		}
		all = append(all, f)
	}
	return all
}

// repeated reads "path ×40": the text that many times, for sources of some size.
func repeated(t *testing.T, name string) (string, int) {
	path, count, ok := strings.Cut(name, " ×")
	if !ok {
		return name, 1
	}
	times, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
	}
	return path, times
}

func field(p *profile.Profile, name string) string {
	switch name {
	case "language":
		return p.Language
	case "framework":
		return p.Framework
	case "scope":
		return p.Scope
	case "domain":
		return p.Domain
	case "extends":
		return p.Extends
	case "manifestType":
		return p.ManifestType
	case "frameworkFrom":
		return p.Origins["framework"].From
	case "manifestTypeFrom":
		return p.Origins["manifestType"].From
	case "dependencies":
		return strings.Join(p.Dependencies, " ")
	case "manifests":
		return strings.Join(p.Manifests, " ")
	case "packages":
		var all []string
		for _, pkg := range p.Packages {
			all = append(all, pkg.Package+":"+pkg.Language+":"+pkg.Framework)
		}
		return strings.Join(all, " ")
	case "problems":
		if len(p.Problems) > 0 {
			return "yes"
		}
		return "no"
	}
	return "no field " + name
}

func TestTraps(t *testing.T) {
	sets, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(sets) != 11 {
		t.Fatalf("%d sets of fixtures, %v", len(sets), err)
	}
	for _, set := range sets {
		name := strings.TrimSuffix(filepath.Base(set), ".txt")
		t.Run(name, func(t *testing.T) {
			fixtures := readFixtures(t, set)
			if len(fixtures) < 10 {
				t.Errorf("%d fixtures, want 10", len(fixtures))
			}
			for _, f := range fixtures {
				t.Run(f.trap, func(t *testing.T) { f.run(t) })
			}
		})
	}
}

func (f fixture) run(t *testing.T) {
	called := "quill"
	if len(f.want) > 0 && f.want[0][0] == "called" { // the project's name
		called, f.want = f.want[0][1], f.want[1:]
	}
	dir := filepath.Join(t.TempDir(), called)
	for _, file := range f.files {
		path := filepath.Join(dir, filepath.FromSlash(file[0]))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file[1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := inspect.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	all, reasons := folder.Profiles()
	for _, want := range f.want {
		if got := field(&all[0], want[0]); got != want[1] {
			t.Errorf("%s is %q, want %q (%+v)", want[0], got, want[1], reasons)
		}
	}
	for _, p := range all {
		for _, name := range []string{"language", "framework", "scope"} {
			if o := p.Origins[name]; o.From == "" || o.Confidence == "" || field(&p, name) == "" {
				t.Errorf("%s of %q: %q, from %+v", name, p.Package, field(&p, name), o)
			}
		}
	}
}

// TestRouterOfOnePart: the server routes requests itself, and one part of it uses a router.
func TestRouterOfOnePart(t *testing.T) {
	f := fixture{want: [][2]string{{"language", "go"}, {"framework", "unknown"}}, files: [][2]string{
		{"go.mod", "module example.com/quill\n\nrequire github.com/go-chi/chi/v5 v5.0.0\n"},
		{"README.md", "# Quill\n\nQuill is a web server for feathers.\n"},
		{"acme/acme.go", "package acme // import \"github.com/go-chi/chi/v5\"\n"},
	}}
	for i := range 60 {
		f.files = append(f.files, [2]string{fmt.Sprintf("part%d/part.go", i), strings.Repeat("package part // http.HandleFunc\n", 10)})
	}
	f.run(t)
}
