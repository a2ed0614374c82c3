package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// npmName is the package that people install. It depends on the platform packages with the programs; npm chooses one by os and cpu.
const npmName = "agit-suite"

// npmServer is the program that `npx agit-suite` starts, and the server of the package in the MCP registry.
const npmServer = "agit"

// start is what npm links as each program: it starts the real one, from the
// package of the platform.
//
//go:embed start.js
var start []byte

// npm makes packages as `npm pack` does.
type npm struct {
	version, out string
	programs     map[string]bool
	optional     map[string]string
	licence      []byte
}

func newNPM(version, out string) *npm {
	return &npm{version: strings.TrimPrefix(version, "v"), out: out, programs: map[string]bool{}, optional: map[string]string{}}
}

// manifest is a package.json.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	Homepage             string            `json:"homepage"`
	License              string            `json:"license"`
	MCPName              string            `json:"mcpName,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

func (n *npm) manifest(name string) manifest {
	return manifest{
		Name: name, Version: n.version, License: "MIT", Homepage: homepage, Description: summary,
	}
}

func (n *npm) add(p packed) error {
	node := platform{OS: p.OS, Arch: p.Arch}
	if node.OS == "windows" {
		node.OS = "win32"
	}
	if node.Arch == "amd64" {
		node.Arch = "x64"
	}
	m := n.manifest(npmName + "-" + node.OS + "-" + node.Arch)
	m.OS, m.CPU = []string{node.OS}, []string{node.Arch}
	n.optional[m.Name], n.licence = n.version, p.licence
	files := map[string][]byte{"LICENSE": p.licence}
	for name, content := range p.programs {
		files["bin/"+name] = content
		n.programs[strings.TrimSuffix(name, ".exe")] = true
	}
	return n.write(m, files)
}

func (n *npm) finish() error {
	m := n.manifest(npmName)
	m.OptionalDependencies, m.Bin, m.MCPName = n.optional, map[string]string{npmName: "bin/" + npmServer + ".js"}, registryName+npmServer
	files := map[string][]byte{"LICENSE": n.licence}
	for name := range n.programs {
		m.Bin[name] = "bin/" + name + ".js"
		files["bin/"+name+".js"] = start
	}
	return n.write(m, files)
}

// write packs a package: its files below package/, the programs executable.
func (n *npm) write(m manifest, files map[string][]byte) (err error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	files["package.json"] = append(text, '\n')
	var b bytes.Buffer
	squeezed := gzip.NewWriter(&b)
	w := tar.NewWriter(squeezed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		mode := int64(0o644)
		if strings.HasPrefix(name, "bin/") {
			mode = 0o755
		}
		if err := w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: mode, Size: int64(len(files[name])), Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := w.Write(files[name]); err != nil {
			return err
		}
	}
	if err := errors.Join(w.Close(), squeezed.Close(), os.MkdirAll(n.out, 0o755)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(n.out, m.Name+"-"+n.version+".tgz"), b.Bytes(), 0o644)
}
