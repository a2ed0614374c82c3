package manifest_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// TestSurvey prints the problems and the odd names found below the folder CLASSIFY_SURVEY, for inspection.
func TestSurvey(t *testing.T) {
	dir := os.Getenv("CLASSIFY_SURVEY")
	if dir == "" {
		t.Skip("CLASSIFY_SURVEY names no folder")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var files []string
	fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	counts := map[manifest.Kind]int{}
	empty := map[manifest.Kind]int{}
	for _, m := range manifest.ReadAll(root.FS(), files) {
		counts[m.Kind]++
		if len(m.Dependencies) == 0 && len(m.Members) == 0 {
			empty[m.Kind]++
			fmt.Println("EMPTY", m.Kind, m.Path)
		}
		for _, p := range m.Problems {
			fmt.Printf("PROBLEM %s:%d %s\n", p.Path, p.Line, p.Message)
		}
		for _, dep := range m.Dependencies {
			if strings.ContainsAny(dep.Name, " \"'${}()<>=,;#\\") {
				fmt.Printf("ODD %s: %q\n", m.Path, dep.Name)
			}
		}
	}
	for k, n := range counts {
		fmt.Println("COUNT", k, n, "empty", empty[k])
	}
}
