package manifest_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

var update = flag.Bool("update", false, "write what is read into the fixtures, for reviewing")

// TestFixtures reads the small projects under testdata. Each is an archive: its first lines name the trap it guards, its files are the
// project, and its last file, "want", is the expected result: each manifest with its declarations, then the packages of a monorepo.
func TestFixtures(t *testing.T) {
	fixtures, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	perEcosystem := map[string]int{}
	for _, fixture := range fixtures {
		ecosystem := filepath.Base(filepath.Dir(fixture))
		perEcosystem[ecosystem]++
		t.Run(ecosystem+"/"+strings.TrimSuffix(filepath.Base(fixture), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(fixture)
			if err != nil {
				t.Fatal(err)
			}
			guards, files := archive(string(data))
			if !strings.HasPrefix(guards, "Guards: ") {
				t.Error("the fixture does not say what it guards")
			}
			want := files["want"]
			delete(files, "want")
			project := fstest.MapFS{}
			for name, content := range files {
				project[name] = &fstest.MapFile{Data: []byte(content)}
			}
			manifests := manifest.ReadAll(project, slices.Sorted(maps.Keys(files)))
			got := dump(manifests)
			if *update {
				before, _, _ := strings.Cut(string(data), "-- want --\n")
				if err := os.WriteFile(fixture, []byte(before+"-- want --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", guards, got, want)
			}
		})
	}
	for _, ecosystem := range []string{"npm", "composer", "cargo", "pypi", "go", "maven", "rubygems"} {
		if perEcosystem[ecosystem] < 10 {
			t.Errorf("%s has %d fixtures, fewer than 10", ecosystem, perEcosystem[ecosystem])
		}
	}
}

// archive splits "-- name --" sections off a comment.
func archive(text string) (comment string, files map[string]string) {
	files = map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
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

// dump writes manifests and packages in lines for comparing.
func dump(manifests []*manifest.Manifest) string {
	var b strings.Builder
	for _, m := range manifests {
		fmt.Fprintf(&b, "%s", m.Path)
		if m.Name != "" {
			fmt.Fprintf(&b, " name=%s", m.Name)
		}
		if m.Version != "" {
			fmt.Fprintf(&b, " version=%s", m.Version)
		}
		if m.Description != "" {
			fmt.Fprintf(&b, " description=%q", m.Description)
		}
		fmt.Fprintln(&b)
		groups := map[manifest.Group][]string{}
		for _, dep := range m.Dependencies {
			name := dep.Name
			if dep.Ecosystem != m.Ecosystem {
				name = string(dep.Ecosystem) + "!" + name
			}
			if dep.Alias != "" {
				name += "(as " + dep.Alias + ")"
			}
			if dep.Local {
				name += "(local)"
			}
			groups[dep.Group] = append(groups[dep.Group], name)
		}
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			word := string(group)
			if word == "" {
				word = "runtime"
			}
			fmt.Fprintf(&b, "  %s: %s\n", word, strings.Join(groups[group], " "))
		}
		for _, hint := range m.Languages {
			fmt.Fprintf(&b, "  language: %s (%s)\n", hint.Language, hint.Why)
		}
		if len(m.Members) > 0 {
			fmt.Fprintf(&b, "  members: %s\n", strings.Join(m.Members, " "))
		}
		if len(m.Includes) > 0 {
			fmt.Fprintf(&b, "  includes: %s\n", strings.Join(m.Includes, " "))
		}
		for _, p := range m.Problems {
			fmt.Fprintf(&b, "  problem: line %d %s\n", p.Line, p.Message)
		}
	}
	if packages := manifest.Packages(manifests); len(packages) > 1 {
		for _, p := range packages {
			fmt.Fprintf(&b, "package %s %s %s by=%s\n", p.Dir, p.Ecosystem, p.Name, p.By)
		}
	}
	return b.String()
}
