package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// benchmark is a benchmark function. Does is the first sentence of its comment without its name: what is measured, and the baseline.
type benchmark struct{ Folder, Name, Does string }

var member = regexp.MustCompile(`(?m)^\t\./(\S+)$`)

// benchmarks lists those of every module of the workspace at root that this
// system builds, by folder and as they stand in the files.
func benchmarks(root string) (all []benchmark, err error) {
	workspace, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return nil, fmt.Errorf("run it in the repository: %w", err)
	}
	for _, module := range member.FindAllStringSubmatch(string(workspace), -1) {
		err := filepath.WalkDir(filepath.Join(root, module[1]), func(path string, entry os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				_, err := os.Stat(filepath.Join(path, "go.mod"))
				if inner := err == nil && path != filepath.Join(root, module[1]); inner || entry.Name() == "testdata" {
					return filepath.SkipDir
				}
			}
			if !strings.HasSuffix(path, "_test.go") {
				return nil
			}
			if built, err := build.Default.MatchFile(filepath.Dir(path), filepath.Base(path)); err != nil || !built {
				return err
			}
			found, err := inFile(path)
			for i := range found {
				found[i].Folder, err = filepath.Rel(root, filepath.Dir(path))
			}
			all = append(all, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b benchmark) int { return strings.Compare(a.Folder, b.Folder) })
	return all, nil
}

func inFile(path string) (found []benchmark, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, declared := range file.Decls {
		f, ok := declared.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Benchmark") {
			continue
		}
		does := new(doc.Package).Synopsis(f.Doc.Text())
		does = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(does, f.Name.Name), ":"))
		found = append(found, benchmark{Name: f.Name.Name, Does: strings.TrimSuffix(does, ".")})
	}
	return found, nil
}
