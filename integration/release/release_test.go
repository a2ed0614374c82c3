package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A small suite: shared, a program that requires it as ours do, and a module
// that is not released.
var suite = map[string]string{
	"LICENSE":             "MIT\n",
	"go.work":             "go 1.26.0\nuse (\n\t./shared\n\t./tool\n)\n",
	"shared/go.mod":       "module example.com/suite/shared\n\ngo 1.26.0\n",
	"shared/word/word.go": "package word\n\nconst Said = \"released\"\n",
	"tool/go.mod":         "module example.com/suite/tool\n\ngo 1.26.0\n\nrequire example.com/suite/shared v0.0.0\n\nreplace example.com/suite/shared => ../shared\n",
	"tool/main.go":        "package main\n\nimport \"example.com/suite/shared/word\"\n\nfunc main() { println(word.Said) }\n",
	"tests/go.mod":        "module example.com/suite/tests\n\ngo 1.26.0\n\nrequire example.com/suite/shared v0.0.0\n\nreplace example.com/suite/shared => ../shared\n",
}

func TestRelease(t *testing.T) {
	repo := repository(t, suite)
	before := state(t, repo)
	t.Chdir(repo)
	var said bytes.Buffer
	must(t, run(t.Context(), []string{"tag", "v1.2.3"}, &said))
	if diff := cmp.Diff(before, state(t, repo)); diff != "" {
		t.Errorf("the user's branch, index or files changed (-before +after):\n%s", diff)
	}
	if want := "git push origin v1.2.3 shared/v1.2.3 tool/v1.2.3\n"; !strings.HasSuffix(said.String(), want) {
		t.Errorf("it says %q", said.String())
	}
	mod := git(t, repo, "show", "tool/v1.2.3:tool/go.mod")
	if strings.Contains(mod, "replace") || !strings.Contains(mod, "shared v1.2.3") {
		t.Errorf("the released go.mod is\n%s", mod)
	}
	if kept := git(t, repo, "show", "v1.2.3:tests/go.mod"); kept+"\n" != suite["tests/go.mod"] {
		t.Errorf("a module without a program was changed:\n%s", kept)
	}

	// Tags are made once, all or none.
	must(t, exec.Command("git", "tag", "-d", "v1.2.3").Run())
	if err := run(t.Context(), []string{"tag", "v1.2.3"}, &said); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("tagged twice: %v", err)
	}
	if out, err := exec.Command("git", "rev-parse", "--verify", "--quiet", "v1.2.3").Output(); err == nil {
		t.Errorf("a refused tag left %s", out)
	}

	proxy := t.TempDir()
	must(t, run(t.Context(), []string{"proxy", "v1.2.3", proxy}, &said))
	bin := install(t, proxy, "example.com/suite/tool@v1.2.3")
	if out, err := exec.Command(filepath.Join(bin, "tool")).CombinedOutput(); err != nil || string(out) != "released\n" {
		t.Errorf("the installed tool says %q, %v", out, err)
	}

	// The checksums of shared in the commit are those that the go command computes.
	clone := t.TempDir()
	git(t, clone, "clone", "--quiet", repo, ".")
	git(t, clone, "checkout", "--quiet", "tool/v1.2.3")
	golang(t, filepath.Join(clone, "tool"), proxy, t.TempDir(), "build", "-mod=readonly", "-o", t.TempDir()+"/", ".")
}

func TestReleaseRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		file string
		text string
		want string
	}{
		"a version that is not one":    {args: []string{"tag", "1.2"}, want: "is not a version"},
		"a revision that is not there": {args: []string{"tag", "v1.2.3", "nowhere"}, want: "is not a commit"},
		"a replace of something else": {args: []string{"tag", "v1.2.3"}, file: "tool/go.mod",
			text: suite["tool/go.mod"] + "\nreplace example.com/else => ../else\n", want: "go.mod replaces example.com/else"},
		"no archive": {args: []string{"npm", "v1.2.3", "dist", "out"}, want: "holds no archive of v1.2.3"},
		"no command": {args: []string{"publish", "v1.2.3"}, want: "usage"},
	} {
		files := maps.Clone(suite)
		if c.file != "" {
			files[c.file] = c.text
		}
		t.Run(name, func(t *testing.T) {
			t.Chdir(repository(t, files))
			if err := run(t.Context(), c.args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// The package managers install the packages of an archive without a network, and the installed programs run.
func TestPackages(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	dist := t.TempDir()
	script := "#!/bin/sh\necho \"installed $1\"\nexit 4\n"
	archive(t, filepath.Join(dist, "agit_1.2.3_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz"),
		map[string]string{"agit": script, "agit-mcp": script, "LICENSE": "MIT\n", "README.md": "# agit\n", "man/agit.1": "a page"})
	runs := func(t *testing.T, program string) {
		cmd := exec.Command(program, "here")
		out, err := cmd.Output()
		if string(out) != "installed here\n" || cmd.ProcessState.ExitCode() != 4 {
			t.Errorf("%s says %q, %v", program, out, err)
		}
	}
	must(t, os.Link(filepath.Join(dist, "agit_1.2.3_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz"), filepath.Join(dist, "agit_1.2.4-rc.1_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")))
	must(t, run(t.Context(), []string{"pip", "v1.2.4-rc.1", dist, filepath.Join(dist, "rc")}, &bytes.Buffer{}))
	if wheels, err := filepath.Glob(filepath.Join(dist, "rc", "agit_suite-1.2.4rc1-py3-none-*.whl")); err != nil || len(wheels) != 1 {
		t.Errorf("wheels of the release candidate: %q %v", wheels, err)
	}
	for _, name := range []string{"npm", "pip"} {
		out := filepath.Join(dist, name)
		must(t, run(t.Context(), []string{name, "v1.2.3", dist, out}, &bytes.Buffer{}))
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skip(name + " is not installed")
			}
			packages, err := filepath.Glob(filepath.Join(out, "*"))
			must(t, err)
			prefix := t.TempDir()
			args := []string{"install", "--offline", "--no-audit", "--no-fund", "--global", "--prefix", prefix}
			if name == "pip" { // below a prefix, Debian's Python puts programs into local/bin; below a target, every Python puts them into bin
				args = []string{"install", "--no-index", "--no-deps", "--quiet", "--disable-pip-version-check", "--no-warn-script-location", "--target", prefix}
			}
			cmd := exec.Command(name, append(args, packages...)...)
			cmd.Env = append(os.Environ(), "npm_config_cache="+t.TempDir(), "HOME="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			runs(t, filepath.Join(prefix, "bin", "agit"))
			runs(t, filepath.Join(prefix, "bin", "agit-mcp"))
		})
	}
}

// pip orders prereleases before their release, in a form of its own, and takes
// no other: a wheel with another version cannot be uploaded or installed.
func TestPipVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3": "1.2.3", "v0.2.0-rc.1": "0.2.0rc1", "v0.2.0-rc2": "0.2.0rc2", "v1.0.0-alpha.10": "1.0.0a10", "v1.0.0-beta.3": "1.0.0b3", "v1.0.0-dev.4": "1.0.0.dev4",
		"v1.0.0-nightly": "", "v1.0.0-rc.1.2": "", "v1.0.0-0.rc.1": "",
	} {
		got, err := pipVersion(version)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s is %q, %v; want %q", version, got, err, want)
		}
	}
}

// TestGoInstall tests the release of this repository: `go install` of every program at a version, only from the modules of HEAD's
// release, and the versions that the programs then print. `make check-release` runs it.
func TestGoInstall(t *testing.T) {
	if os.Getenv("AGIT_RELEASE") == "" {
		t.Skip("runs with AGIT_RELEASE=1, by make check-release")
	}
	t.Chdir(filepath.Join("..", ".."))
	proxy := t.TempDir()
	must(t, run(t.Context(), []string{"proxy", "v0.99.0", proxy}, &bytes.Buffer{}))
	all, err := programs(".")
	must(t, err)
	of := map[string][]string{} // the go command takes packages of one module at a time
	for _, p := range all {
		of[p.Module] = append(of[p.Module], "github.com/agit-suite/agit/"+strings.TrimPrefix(p.Main, "./")+"@v0.99.0")
	}
	bins := map[string]string{}
	for module, packages := range of {
		bins[module] = install(t, proxy, packages...)
	}
	for _, p := range all {
		out, err := exec.Command(filepath.Join(bins[p.Module], p.Name), "version", "--json").Output()
		var said struct{ Name, Version string }
		if err != nil || json.Unmarshal(out, &said) != nil || said.Name != p.Name || said.Version != "0.99.0" {
			t.Errorf("%s version --json: %v %s", p.Name, err, out)
		}
	}
}

// Two builds of a commit, in different folders and one of them with an empty cache, have the same bytes.
func TestReproducible(t *testing.T) {
	if os.Getenv("AGIT_RELEASE") == "" {
		t.Skip("runs with AGIT_RELEASE=1, by make check-release")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	must(t, err)
	built := func(cache ...string) []byte {
		clone, out := filepath.Join(t.TempDir(), "a folder"), filepath.Join(t.TempDir(), "agit")
		git(t, root, "clone", "--quiet", "--no-hardlinks", root, clone)
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X github.com/agit-suite/agit/shared/cli.Version=1.2.3", "-o", out, "./agit")
		cmd.Dir, cmd.Env = clone, append(append(os.Environ(), "CGO_ENABLED=0"), cache...)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		program, err := os.ReadFile(out)
		must(t, err)
		return program
	}
	if !bytes.Equal(built(), built("GOCACHE="+t.TempDir())) {
		t.Error("two builds of one commit differ")
	}
}

// install runs `go install` with only the proxy and the modules on this machine, and returns the folder of the programs.
func install(t *testing.T, proxy string, packages ...string) string {
	t.Helper()
	bin := t.TempDir()
	golang(t, t.TempDir(), proxy, bin, append([]string{"install", "-trimpath"}, packages...)...)
	return bin
}

func golang(t *testing.T, dir, proxy, bin string, args ...string) {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	must(t, err)
	modules := t.TempDir()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw", "GOBIN="+bin, "GOMODCACHE="+modules, "GOSUMDB=off", "CGO_ENABLED=0",
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(strings.TrimSpace(string(cache)))+"/cache/download")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// repository is a clone-like folder with one commit of the files, and a change
// that is not committed.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
		"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com"} {
		t.Setenv(name, value)
	}
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "-m", "first")
	must(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte("changed, and not committed\n"), 0o644))
	return dir
}

func state(t *testing.T, repo string) string {
	return git(t, repo, "rev-parse", "HEAD") + git(t, repo, "status", "--porcelain") + git(t, repo, "diff")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func archive(t *testing.T, name string, files map[string]string) {
	t.Helper()
	var b bytes.Buffer
	squeezed := gzip.NewWriter(&b)
	w := tar.NewWriter(squeezed)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		must(t, w.WriteHeader(&tar.Header{Name: file, Mode: 0o755, Size: int64(len(files[file])), Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(files[file]))
		must(t, err)
	}
	must(t, errors.Join(w.Close(), squeezed.Close(), os.WriteFile(name, b.Bytes(), 0o644)))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
