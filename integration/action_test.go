package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The action annotates invalid citations and fails, writes the job's summary, and passes its inputs on; the pre-commit hook checks the
// staged files.
func TestCitecheckAction(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the action is a script for bash")
	}
	t.Parallel()
	h := newHome(t)
	h.memories(2)
	must(t, os.WriteFile(filepath.Join(h.repo, "values.go"), []byte("package other\n"), 0o644))
	root, err := filepath.Abs("..")
	must(t, err)
	summary := filepath.Join(h.dir, "summary.md")
	run := func(script string, env ...string) (string, error) {
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir, cmd.Env = h.repo, append(append([]string{}, h.env...), append(env, "GITHUB_ACTION_PATH="+root, "GITHUB_STEP_SUMMARY="+summary)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	action, err := os.ReadFile(filepath.Join(root, "action.yml"))
	must(t, err)
	step := regexp.MustCompile(`(?m)^ +- run: '(.*)'$`).FindStringSubmatch(string(action))
	if step == nil {
		t.Fatalf("the action runs nothing:\n%s", action)
	}
	out, err := run(step[1])
	if err == nil || !strings.Contains(out, "::error file=.serena/memories/values.md,line=") {
		t.Errorf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile(summary); err != nil || !strings.Contains(string(text), "values") {
		t.Errorf("the summary: %v\n%s", err, text)
	}
	if out, err := run(step[1], "INPUT_FAIL_ON=outside", "INPUT_PROSE=true"); err != nil || !strings.Contains(out, "::") {
		t.Errorf("--fail-on is not passed on: %v\n%s", err, out)
	}
	if out, err := run(step[1], "INPUT_DIR=nowhere"); err == nil || !strings.Contains(out, "nowhere") {
		t.Errorf("--dir is not passed on: %v\n%s", err, out)
	}
	must(t, os.WriteFile(filepath.Join(h.repo, "CLAUDE.md"), []byte("See [the guide](docs/guide.md).\n"), 0o644))
	if out, err := run(step[1], "INPUT_FAIL_ON=gone", "INPUT_INSTRUCTIONS=true"); err == nil || !strings.Contains(out, "::error file=CLAUDE.md,line=1") {
		t.Errorf("--instructions is not passed on: %v\n%s", err, out)
	}
	must(t, os.Remove(filepath.Join(h.repo, "CLAUDE.md")))
	for _, input := range []string{"since", "fail-on", "dir", "prose", "instructions"} {
		name := "INPUT_" + strings.ToUpper(strings.ReplaceAll(input, "-", "_"))
		if !strings.Contains(string(action), name+": ${{ inputs."+input+" }}") {
			t.Errorf("the action does not hand %s over", input)
		}
	}
	h.ok("git", "add", "values.go")
	hooks, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	must(t, err)
	entry := regexp.MustCompile(`(?m)^  entry: (.*)$`).FindAllStringSubmatch(string(hooks), -1)
	if len(entry) != 2 {
		t.Fatalf("the hooks run %q:\n%s", entry, hooks)
	}
	if out, err := run(filepath.Join(root, entry[0][1])); err == nil || !strings.Contains(out, "values.go") {
		t.Errorf("the hook lets a broken citation pass: %v\n%s", err, out)
	}
	h.ok("git", "reset", "--quiet")
	h.ok("git", "checkout", "--quiet", "values.go")
	must(t, os.WriteFile(filepath.Join(h.repo, "AGENTS.md"), []byte("See [the guide](docs/guide.md).\n"), 0o644))
	h.ok("git", "add", "AGENTS.md")
	if out, err := run(filepath.Join(root, entry[0][1])); err != nil {
		t.Errorf("the hook for memories judges instructions: %v\n%s", err, out)
	}
	if out, err := run(filepath.Join(root, entry[1][1])); err == nil || !strings.Contains(out, "docs/guide.md") {
		t.Errorf("the hook lets a broken instruction pass: %v\n%s", err, out)
	}
}
