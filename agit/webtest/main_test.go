package webtest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A page that is not right after a minute never will be. The polling interval is short, so that a test waits hardly longer than the
// page.
const (
	patience = time.Minute
	polling  = 20 * time.Millisecond
)

// binaries is the folder the programs under test were built into.
var binaries string

func TestMain(m *testing.M) {
	flag.Parse()
	code := buildAndRun(m)
	closeBrowser()
	os.Exit(code)
}

func buildAndRun(m *testing.M) int {
	if built := os.Getenv("AGIT_PROGRAMS"); built != "" { // by who runs these tests many times
		binaries = built
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "agit-web-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binaries = dir
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "../../agit", "../../agit/cmd/agit-web", "../../memoryd", "../../citecheck", "../../pmsync")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// environment returns the environment of programs with one registry.
func environment(home string) []string {
	return []string{"PATH=" + binaries + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + filepath.Dir(home), "AGIT_HOME=" + home, "TMPDIR=" + os.TempDir(), "BROWSER=true",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
}

// project is a repository with a registry of its own.
type project struct {
	t         testing.TB
	home, dir string
}

func newProject(t testing.TB) *project {
	t.Helper()
	base := t.TempDir()
	p := &project{t: t, home: filepath.Join(base, "home"), dir: filepath.Join(base, "app")}
	p.at(base, "git", "-c", "init.defaultBranch=main", "init", "--quiet", "app")
	for _, name := range []string{"login.go", "upload.go", "export.go"} {
		p.write(name, "package app\n"+strings.Repeat("// a line\n", 40))
	}
	p.run("git", "add", ".")
	p.run("git", "commit", "--quiet", "-m", "Start")
	p.run("agit", "add", ".", "--name", "app", "--quiet")
	return p
}

// run runs a program in the repository, and returns what it printed.
func (p *project) run(name string, args ...string) string {
	p.t.Helper()
	return p.at(p.dir, name, args...)
}

func (p *project) at(dir, name string, args ...string) string {
	p.t.Helper()
	return p.fed(dir, "", name, args...)
}

// feed runs a program that reads lines.
func (p *project) feed(lines, name string, args ...string) {
	p.t.Helper()
	p.fed(p.dir, lines, name, args...)
}

func (p *project) fed(dir, lines, name string, args ...string) string {
	p.t.Helper()
	if _, err := os.Stat(filepath.Join(binaries, name)); err == nil {
		name = filepath.Join(binaries, name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, environment(p.home), strings.NewReader(lines)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%s %q: %v\n%s%s", filepath.Base(name), args, err, out, errs.String())
	}
	return strings.TrimSpace(string(out))
}

func (p *project) write(name, content string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// task makes a task and returns its id.
func (p *project) task(text string, flags ...string) string {
	p.t.Helper()
	return p.run("agit", append([]string{"tasks", "app", "--create", text, "--quiet", "--jq", ".id"}, flags...)...)
}

// spawn gives an agent a worktree for a task, and returns its folder.
func (p *project) spawn(agent, task string) string {
	p.t.Helper()
	return p.run("agit", "spawn", "app", "--agent", agent, "--task", task, "--quiet", "--jq", ".path")
}
