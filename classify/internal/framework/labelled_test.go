package framework_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/manifest"
)

// TestLabelled measures the table on a folder of labelled projects, when CLASSIFY_LABELLED names a file of lines "folder, tab, language,
// tab, framework", with "-" for none and "|" between names that are right too. It prints the misses and the accuracy per ecosystem.
func TestLabelled(t *testing.T) {
	list := os.Getenv("CLASSIFY_LABELLED")
	if list == "" {
		t.Skip("CLASSIFY_LABELLED names no list of labelled projects")
	}
	f, err := os.Open(list)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type count struct{ right, all int }
	counts := map[string]*count{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		part := strings.Split(lines.Text(), "\t")
		if len(part) < 3 || strings.HasPrefix(part[0], "#") {
			continue
		}
		dir, language, want := filepath.Join(filepath.Dir(list), part[0]), part[1], part[2]
		matches := detectIn(t, dir, language)
		got, why := "-", ""
		if len(matches) > 0 && matches[0].Main {
			got, why = matches[0].Name, fmt.Sprintf("%s (%.2f) %v", matches[0].Name, matches[0].Confidence, matches[0].Why)
		}
		c := counts[language]
		if c == nil {
			c = &count{}
			counts[language] = c
		}
		c.all++
		right := false
		for name := range strings.SplitSeq(want, "|") {
			canonical, ok := framework.Canonical(name)
			right = right || name == got || ok && canonical == got
		}
		if right {
			c.right++
		} else {
			fmt.Printf("MISS %-60s %-10s want %-20s got %s\n", part[0], language, want, why)
		}
	}
	var languages []string
	total := count{}
	for l, c := range counts {
		languages = append(languages, l)
		total.right, total.all = total.right+c.right, total.all+c.all
	}
	sort.Strings(languages)
	for _, l := range languages {
		fmt.Printf("%-12s %4d/%-4d %5.1f %%\n", l, counts[l].right, counts[l].all, 100*float64(counts[l].right)/float64(counts[l].all))
	}
	fmt.Printf("%-12s %4d/%-4d %5.1f %%\n", "all", total.right, total.all, 100*float64(total.right)/float64(max(1, total.all)))
}

// detectIn detects the frameworks of a folder as a profile does, with the given language.
func detectIn(t *testing.T, dir, language string) []framework.Match {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var files []string
	fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "vendor" || d.Name() == ".git" || d.Name() == ".yarn"):
			return fs.SkipDir
		case !d.IsDir():
			files = append(files, path)
		}
		return nil
	})
	return framework.Detect(framework.Facts{
		Language:  language,
		Manifests: manifest.ReadAll(root.FS(), files),
		Files:     files,
		Read: func(path string) []byte {
			data, _ := fs.ReadFile(root.FS(), path)
			return data[:min(len(data), 32<<10)]
		},
	})
}

// TestListed prints the frameworks of the folders in CLASSIFY_LISTED, for inspection.
func TestListed(t *testing.T) {
	list := os.Getenv("CLASSIFY_LISTED")
	if list == "" {
		t.Skip("CLASSIFY_LISTED names no list")
	}
	data, _ := os.ReadFile(list)
	for line := range strings.SplitSeq(string(data), "\n") {
		part := strings.Split(line, "\t")
		if len(part) < 2 {
			continue
		}
		names := []string{}
		for _, m := range detectIn(t, part[0], part[1]) {
			if m.Main {
				names = append(names, fmt.Sprintf("%s/%.2f", m.Name, m.Confidence))
			}
		}
		fmt.Printf("%s\t%s\t%s\n", part[0], part[1], strings.Join(names, " "))
	}
}
