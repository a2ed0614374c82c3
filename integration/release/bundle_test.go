package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A bundle holds a server that runs, and a manifest that names it; server.json names the bundle by its hash.
func TestBundles(t *testing.T) {
	t.Parallel()
	dist := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dist, "metadata.json"), []byte(`{"version": "1.2.3"}`), 0o644))
	for _, on := range []string{"linux_amd64", "windows_arm64"} {
		end := map[bool]string{true: ".exe"}[strings.HasPrefix(on, "windows")]
		archive(t, filepath.Join(dist, "agit_1.2.3_"+on+".tar.gz"), map[string]string{"agit" + end: "x", "agit-mcp" + end: "#!/bin/sh\necho $1 $2\n", "memoryd-mcp" + end: "x", "LICENSE": "MIT\n"})
	}
	must(t, bundleAll(filepath.Join("..", ".."), dist))

	content, err := os.ReadFile(filepath.Join(dist, "agit_1.2.3_linux_amd64.mcpb"))
	must(t, err)
	dir := t.TempDir()
	unzip(t, content, dir)
	var m bundleManifest
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &m))
	if m.Name != "agit" || m.Version != "1.2.3" || m.ManifestVersion != "0.3" || m.Description != "Coordinate several AI coding agents in one repository." || len(m.Tools) < 20 || m.Tools[0].Description == "" {
		t.Errorf("%s", text)
	}
	if runtime.GOOS != "windows" {
		command := strings.ReplaceAll(m.Server.Config.Command, "${__dirname}", dir)
		if out, err := exec.Command(command, m.Server.Config.Args...).Output(); err != nil || string(out) != "--tools core\n" {
			t.Errorf("the server says %q, %v", out, err)
		}
	}
	if _, err := exec.LookPath("mcpb"); err == nil { // npm's @anthropic-ai/mcpb
		if out, err := exec.Command("mcpb", "validate", filepath.Join(dir, "manifest.json")).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}

	content2, err := os.ReadFile(filepath.Join(dist, "memoryd_1.2.3_windows_arm64.mcpb"))
	must(t, err)
	unzip(t, content2, filepath.Join(dir, "windows"))
	text, err = os.ReadFile(filepath.Join(dir, "windows", "manifest.json"))
	must(t, err)
	if !strings.Contains(string(text), `"${__dirname}/server/memoryd-mcp.exe"`) || !strings.Contains(string(text), `"win32"`) {
		t.Errorf("%s", text)
	}

	var s registryServer
	text, err = os.ReadFile(filepath.Join(dist, "agit.server.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &s))
	sum := sha256.Sum256(content)
	if s.Name != "io.github.agit-suite/agit" || s.Version != "1.2.3" || len(s.Packages) != 3 || s.Packages[0].SHA256 != hex.EncodeToString(sum[:]) ||
		s.Packages[0].Identifier != homepage+"/releases/download/v1.2.3/agit_1.2.3_linux_amd64.mcpb" || s.Packages[2].Type != "npm" || s.Packages[2].SHA256 != "" {
		t.Errorf("%s", text)
	}
}

// The registry accepts descriptions of at most a hundred characters, and every server has tools.
func TestServersAreDescribed(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	all, err := programs(root)
	must(t, err)
	for _, p := range all {
		name, isServer := strings.CutSuffix(p.Name, "-mcp")
		if !isServer {
			continue
		}
		b := &bundles{root: root, version: "1.2.3"}
		if _, err := b.registryServer(name, nil); err != nil {
			t.Error(err)
		}
		if _, err := b.manifest(name, p.Name, platform{"linux", "amd64"}); err != nil {
			t.Error(err)
		}
	}
}

func unzip(t *testing.T, content []byte, dir string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	for _, f := range r.File {
		in, err := f.Open()
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, err)
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, text, f.Mode().Perm()))
	}
}

// A folder's hash is Nix's: the first is that of an empty folder, as `nix hash path` prints it.
func TestNarHash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got, err := narHash(dir); err != nil || got != "sha256-pQpattmS9VmO3ZIQUFn66az8GSmB4IvYhTTCFn6SUmo=" {
		t.Errorf("an empty folder: %s, %v", got, err)
	}
	must(t, os.MkdirAll(filepath.Join(dir, "b", "c"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("12345678"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "b", "run"), []byte("#!/bin/sh\n"), 0o755))
	if runtime.GOOS == "windows" {
		t.Skip("there are no executable files and links")
	}
	must(t, os.Symlink("a.txt", filepath.Join(dir, "link")))
	if got, err := narHash(dir); err != nil || got != "sha256-DRy0xJx6tiO3dURnWzMhXx+iCDvm6/S1BcZgp1Jnw38=" {
		t.Errorf("a folder of each kind: %s, %v", got, err)
	}
	if _, err := narHash(filepath.Join(dir, "nothing")); err == nil {
		t.Error("a folder that does not exist has a hash")
	}
}

// The version of Go that nixpkgs builds with is the workspace's.
func TestNixGo(t *testing.T) {
	t.Parallel()
	work := filepath.Join(t.TempDir(), "go.work")
	for text, want := range map[string]string{"go 1.26.0\n": "go_1_26", "go 1.27\n": "go_1_27", "use ./a\n": "", "go\n": ""} {
		must(t, os.WriteFile(work, []byte(text), 0o644))
		if got, err := nixGo(work); got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// flake.nix is an expression of Nix, and builds every program.
func TestFlake(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "flake.nix"))
	must(t, err)
	all, err := programs(root)
	must(t, err)
	for _, p := range all {
		if !strings.Contains(string(text), `"`+p.Main+`"`) {
			t.Errorf("flake.nix does not build %s; `make docs` writes it", p.Main)
		}
	}
	if _, err := exec.LookPath("nix-instantiate"); err != nil {
		t.Skip("Nix is not installed")
	}
	if out, err := exec.Command("nix-instantiate", "--parse", filepath.Join(root, "flake.nix")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The feature for dev containers is the output of `make docs`. Its script installs the programs of a release only if their checksum
// matches.
func TestFeature(t *testing.T) {
	t.Parallel()
	made := t.TempDir()
	must(t, writeFeature(made))
	for _, name := range []string{"devcontainer-feature.json", "install.sh"} {
		want, err := os.ReadFile(filepath.Join(made, "agit", name))
		must(t, err)
		got, err := os.ReadFile(filepath.Join("..", "..", "devcontainer", "agit", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not current (make docs): %v\n%s", name, err, cmp.Diff(string(want), string(got)))
		}
	}
	for _, tool := range []string{"curl", "tar", "sha256sum", "git", "sh"} {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOOS != "linux" {
			t.Skipf("the script is for Linux, with %s", tool)
		}
	}
	releases, prefix := t.TempDir(), t.TempDir()
	latest := filepath.Join(releases, "latest", "download")
	must(t, os.MkdirAll(latest, 0o755))
	name := "agit_1.2.3_linux_" + runtime.GOARCH + ".tar.gz"
	archive(t, filepath.Join(latest, name), map[string]string{"agit": "#!/bin/sh\necho installed\n", "agit-mcp": "#!/bin/sh\n", "man/agit.1": "a page"})
	content, err := os.ReadFile(filepath.Join(latest, name))
	must(t, err)
	sum := sha256.Sum256(content)
	sums := func(hash string) {
		must(t, os.WriteFile(filepath.Join(latest, "checksums.txt"), []byte(strings.Repeat("0", 64)+"  agit_1.2.3_darwin_arm64.tar.gz\n"+hash+"  "+name+"\n"), 0o644))
	}
	run := func(env ...string) (string, error) {
		cmd := exec.Command("sh", filepath.Join(made, "agit", "install.sh"))
		cmd.Env = append(append(os.Environ(), "RELEASES=file://"+releases, "PREFIX="+prefix), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	sums(strings.Repeat("1", 64))
	if out, err := run(); err == nil || !strings.Contains(out, "nothing was installed") {
		t.Errorf("another checksum: %v %s", err, out)
	}
	sums(hex.EncodeToString(sum[:]))
	if out, err := run("VERSION=9.9.9"); err == nil {
		t.Errorf("a release that does not exist: %s", out)
	}
	if found, _ := filepath.Glob(filepath.Join(prefix, "bin", "*")); len(found) != 0 {
		t.Fatalf("refused, it installed %q", found)
	}
	if out, err := run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(filepath.Join(prefix, "bin", "agit")).Output(); err != nil || string(out) != "installed\n" {
		t.Errorf("the installed program says %q, %v", out, err)
	}
	if found, _ := filepath.Glob(filepath.Join(prefix, "bin", "*")); len(found) != 2 {
		t.Errorf("installed are %q", found)
	}
}
