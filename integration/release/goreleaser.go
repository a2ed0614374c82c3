package main

import (
	_ "embed"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed goreleaser.yaml.tmpl
var config string

// program is one that people run: Main is its package, below the repository.
type program struct{ Name, Module, Main string }

// Typed reports whether people type the program's name; other programs, such as MCP servers, are started by one of those.
func (p program) Typed() bool { return p.Name == p.Module }

// programs lists what a release holds, as the Makefile does: each folder BINARY
// or BINARY/cmd/NAME with a main.go, but for the fakes.
func programs(root string) (all []program, err error) {
	for _, pattern := range []string{"*/main.go", "*/cmd/*/main.go"} {
		mains, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, main := range mains {
			folder, err := filepath.Rel(root, filepath.Dir(main))
			if err != nil {
				return nil, err
			}
			folder = filepath.ToSlash(folder)
			module, _, _ := strings.Cut(folder, "/")
			if name := path.Base(folder); !strings.HasPrefix(name, "fake") {
				all = append(all, program{Name: name, Module: module, Main: "./" + folder})
			}
		}
	}
	slices.SortFunc(all, func(a, b program) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// writeConfig prints .goreleaser.yaml.
func writeConfig(root string, out io.Writer) error {
	all, err := programs(root)
	if err != nil {
		return err
	}
	t, err := template.New("").Delims("[[", "]]").Parse(config)
	if err != nil {
		return err
	}
	return t.Execute(out, all)
}
