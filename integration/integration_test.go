// Package integration tests the suite from outside: it builds the real binaries once and runs them with a real git, from scripts
// (testdata/<topic>/*.txtar), with real MCP clients, in many processes, and under kill -9. Nothing imports it.
package integration

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agit-suite/agit/shared/registry/registrytest"
)

var update = flag.Bool("update", false, "rewrite the golden outputs in the scripts")

// binaries is the folder the programs under test were built into.
var binaries string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	if err := overlap(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if needServer() {
		return 0
	}
	if built := os.Getenv("AGIT_PROGRAMS"); built != "" { // `make test` builds them once for all that runs them
		_ = os.Getenv("AGIT_PROGRAMS_ARE") // go test caches results per value
		binaries = built
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "agit-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binaries = dir
	var programs []string
	for _, pattern := range []string{"../*/main.go", "../*/cmd/*/main.go"} {
		mains, err := filepath.Glob(pattern)
		if err != nil {
			fmt.Fprintf(os.Stderr, "list the programs: %v\n", err)
			return 1
		}
		for _, main := range mains {
			programs = append(programs, filepath.Dir(main))
		}
	}
	build := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", dir + string(filepath.Separator)}, programs...)...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as released
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the binaries: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// overlap lets three tests run per core unless -parallel sets another number: most wait for a process, and the process for the disk.
func overlap() error {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0)))
}

// TestScripts runs every script, each in a HOME and folder of its own.
func TestScripts(t *testing.T) {
	t.Parallel()
	topics, err := filepath.Glob("testdata/*")
	if err != nil || len(topics) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, topic := range topics {
		if filepath.Base(topic) == "trackers" {
			continue // TestTrackers runs them
		}
		scripts, err := filepath.Glob(filepath.Join(topic, "*.txtar"))
		if err != nil || len(scripts) == 0 {
			continue // the topic holds data for Go tests
		}
		t.Run(filepath.Base(topic), func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Dir: topic, Setup: setup, Cmds: commands, Condition: condition,
				UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
			})
		})
	}
}

// setup isolates a script: the tested binaries first in PATH, a new HOME, and a git without anyone's configuration.
func setup(env *testscript.Env) error {
	env.Values[trackerKey{}] = new(*fakeTracker)
	env.Values[agentsKey{}] = map[string]*fakeAgent{}
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	for name, value := range gitIdentity(home) {
		env.Setenv(name, value)
	}
	env.Defer(func() { dropPlace(home) })
	if git, err := exec.LookPath("git"); err == nil {
		env.Setenv("GIT", git)
	}
	client, err := filepath.Abs(filepath.Join("testdata", "work", "client.sh"))
	if err != nil {
		return err
	}
	env.Setenv("CLIENT", client)
	env.Setenv("PATH", binaries+string(os.PathListSeparator)+env.Getenv("PATH"))
	return nil
}

// gitIdentity is the environment of every program in these tests. The user's configuration is a file that does not exist yet, not the
// null device: as root, `git config --global` would replace the device by a file.
func gitIdentity(home string) map[string]string {
	identity := map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"GIT_CONFIG_GLOBAL": filepath.Join(home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
		"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com",
		"GIT_CONFIG_COUNT": "3", "GIT_CONFIG_KEY_0": "init.defaultBranch", "GIT_CONFIG_VALUE_0": "main",
		"GIT_CONFIG_KEY_1": "advice.detachedHead", "GIT_CONFIG_VALUE_1": "false",
		"GIT_CONFIG_KEY_2": "maintenance.auto", "GIT_CONFIG_VALUE_2": "false", // saves a process in each commit
	}
	if url := place(home); url != "" {
		identity["AGIT_DB"] = url
	}
	return identity
}

// environment is gitIdentity as a process takes it, with the binaries on PATH.
func environment(home string) []string {
	env := []string{"PATH=" + binaries + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	for name, value := range gitIdentity(home) {
		env = append(env, name+"="+value)
	}
	if runtime.GOOS == "windows" {
		env = append(env, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return env
}

func condition(name string) (bool, error) {
	switch {
	case name == "root":
		return os.Getuid() == 0, nil
	case name == "server": // the registry is on one
		return registrytest.OnServer(), nil
	case name == "windows":
		return runtime.GOOS == "windows", nil
	case strings.HasPrefix(name, "git:"):
		return gitAtLeast(strings.TrimPrefix(name, "git:"))
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func gitAtLeast(want string) (bool, error) {
	out, err := exec.Command("git", "version").Output()
	if err != nil {
		return false, err
	}
	var major, minor, wantMajor, wantMinor int
	if _, err := fmt.Sscanf(string(out), "git version %d.%d", &major, &minor); err != nil {
		return false, err
	}
	if _, err := fmt.Sscanf(want, "%d.%d", &wantMajor, &wantMinor); err != nil {
		return false, err
	}
	return major > wantMajor || major == wantMajor && minor >= wantMinor, nil
}
