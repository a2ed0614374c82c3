package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// registryName is the prefix of our servers' names in the MCP registry.
const registryName = "io.github.agit-suite/"

// coreTools are the arguments for a server's small set of tools, as agit setup writes them.
var coreTools = []string{"--tools", "core"}

// bundles makes one MCP bundle of each server and platform: a zip of the server and a manifest, which clients install with one click.
// The format is version 0.3 of https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md.
type bundles struct {
	root, dist, version string
	made                map[string][]registryPackage // of each server, in the order of archives
}

// bundleAll makes the bundles from goreleaser's last build in dist, and a server.json for each server.
func bundleAll(root, dist string) error {
	text, err := os.ReadFile(filepath.Join(dist, "metadata.json"))
	if err != nil {
		return fmt.Errorf("%w; `make dist` makes it", err)
	}
	var built struct{ Version string }
	if err := json.Unmarshal(text, &built); err != nil {
		return err
	}
	version := "v" + built.Version
	if !semver.IsValid(version) {
		return fmt.Errorf("%s was built as %q, which is not a version", dist, built.Version)
	}
	return eachArchive(version, dist, &bundles{root: root, dist: dist, version: built.Version, made: map[string][]registryPackage{}})
}

type bundleManifest struct {
	ManifestVersion string            `json:"manifest_version"`
	Name            string            `json:"name"`
	DisplayName     string            `json:"display_name"`
	Version         string            `json:"version"`
	Description     string            `json:"description"`
	Author          map[string]string `json:"author"`
	Repository      map[string]string `json:"repository"`
	Homepage        string            `json:"homepage"`
	License         string            `json:"license"`
	Server          bundleServer      `json:"server"`
	Tools           []bundleTool      `json:"tools"`
	Compatibility   map[string]any    `json:"compatibility"`
}

type bundleServer struct {
	Type       string        `json:"type"`
	EntryPoint string        `json:"entry_point"`
	Config     bundleCommand `json:"mcp_config"`
}

type bundleCommand struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

type bundleTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (b *bundles) add(p packed) error {
	for _, file := range slices.Sorted(maps.Keys(p.programs)) {
		name, isServer := strings.CutSuffix(strings.TrimSuffix(file, ".exe"), "-mcp")
		if !isServer {
			continue
		}
		m, err := b.manifest(name, file, p.platform)
		if err != nil {
			return err
		}
		text, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			return err
		}
		content, err := zipped(map[string][]byte{"manifest.json": append(text, '\n'), "LICENSE": p.licence, "server/" + file: p.programs[file]})
		if err != nil {
			return err
		}
		made := fmt.Sprintf("%s_%s_%s_%s.mcpb", name, b.version, p.OS, p.Arch)
		if err := os.WriteFile(filepath.Join(b.dist, made), content, 0o644); err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		b.made[name] = append(b.made[name], registryPackage{Type: "mcpb", Identifier: homepage + "/releases/download/v" + b.version + "/" + made,
			Version: b.version, SHA256: hex.EncodeToString(sum[:]), Transport: stdio})
	}
	return nil
}

func (b *bundles) manifest(name, file string, on platform) (m bundleManifest, err error) {
	if m.Description, err = shortOf(b.root, name); err != nil {
		return m, err
	}
	if m.Tools, err = toolsOf(b.root, name); err != nil {
		return m, err
	}
	system := on.OS
	if system == "windows" {
		system = "win32"
	}
	m.ManifestVersion, m.Name, m.DisplayName, m.Version = "0.3", name, name, b.version
	m.Author, m.Repository = map[string]string{"name": "agit-suite", "url": homepage}, map[string]string{"type": "git", "url": homepage}
	m.Homepage, m.License = homepage, "MIT"
	m.Server = bundleServer{Type: "binary", EntryPoint: "server/" + file, Config: bundleCommand{Command: "${__dirname}/server/" + file, Args: coreTools}}
	m.Compatibility = map[string]any{"platforms": []string{system}}
	return m, nil
}

func (b *bundles) finish() error {
	for name, packages := range b.made {
		text, err := b.registryServer(name, packages)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(b.dist, name+".server.json"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// shortOf returns a one-sentence description of a program, from its reference in docs/cli.
func shortOf(root, name string) (string, error) {
	file := filepath.Join(root, "docs", "cli", name+".md")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line, nil
		}
	}
	return "", fmt.Errorf("%s has no sentence", file)
}

// toolsOf returns the tools of a server with their descriptions, from its schema snapshots.
func toolsOf(root, name string) (all []bundleTool, err error) {
	files, err := filepath.Glob(filepath.Join(root, name, "internal", "mcpserver", "testdata", "tools", "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no tool of %s is in %s", name, root)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var one bundleTool
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// zipped is a zip of files, those below server/ executable. The same files make the same bytes.
func zipped(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(0o644)
		if strings.HasPrefix(name, "server/") {
			h.SetMode(0o755)
		}
		to, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
