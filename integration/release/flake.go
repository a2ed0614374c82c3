package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"

	"golang.org/x/mod/modfile"
)

//go:embed flake.nix.tmpl
var flake string

// writeFlake prints flake.nix: it builds the programs from this commit, with the modules
// that go.work and go.sum name, whose hash is taken here as Nix will take it.
func writeFlake(root string, out io.Writer) error {
	all, err := programs(root)
	if err != nil {
		return err
	}
	toolchain, err := nixGo(filepath.Join(root, "go.work"))
	if err != nil {
		return err
	}
	hash, err := vendorHash(root)
	if err != nil {
		return err
	}
	t, err := template.New("").Delims("[[", "]]").Parse(flake)
	if err != nil {
		return err
	}
	return t.Execute(out, map[string]any{"Programs": all, "Go": toolchain, "VendorHash": hash, "Summary": strings.TrimSuffix(summary, "."), "Homepage": homepage})
}

// nixGo is nixpkgs' name of the Go that a workspace asks for: go_1_26 for 1.26.0.
func nixGo(work string) (string, error) {
	text, err := os.ReadFile(work)
	if err != nil {
		return "", err
	}
	parsed, err := modfile.ParseWork(work, text, nil)
	if err != nil {
		return "", err
	}
	if parsed.Go == nil {
		return "", fmt.Errorf("%s names no version of Go", work)
	}
	parts := strings.Split(parsed.Go.Version, ".")
	return "go_" + strings.Join(parts[:min(2, len(parts))], "_"), nil
}

// vendorHash is the hash of the modules that a workspace needs, of folders as `go work
// vendor` makes them.
func vendorHash(root string) (string, error) {
	dir, err := os.MkdirTemp("", "agit-vendor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, "vendor")
	cmd := exec.Command("go", "work", "vendor", "-o", made)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = root, &said
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go work vendor: %w\n%s", err, said.String())
	}
	return narHash(made)
}
