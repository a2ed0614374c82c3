package outside

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/door"
)

func TestAllowed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"agit serve --tools core": true, "agit hook stop --client claude-code": true, "agit tasks list --json": true, "agit agents list": true, "agit finish --release why": true,
		"memoryd hook session-start": true, "memoryd recall x": true, "pmsync ac update x": true, "citecheck hook run": true,
		"agit": false, "agit agents": false, "agit agents remove ann": false, "agit config set gate x": false, "agit spawn app": false, "agit work app": false, "agit answer q-1 --allow": false,
		"agit setup": false, "agit db restore x": false, "agit init": false, "agit import x": false, "agit trial": false, "agit update": false, "agit merge x": false, "agit top": false, "agit exec": false,
		"agit --db x status": false, "agit status --db x": false, "agit status --db=x": false, "agit status --config=/etc/x": false, "agit serve --transport http": false, "agit serve --port=1": false,
		"agit tasks --complete T-1 --force": false, "memoryd hook install": false, "memoryd import x": false, "citecheck hook run --root=/": false, "citecheck verify x": false, "citecheck serve": false,
		"classify serve": false, "classify init": false, "classify show --package ../..": false, "git status": false, "sh -c x": false, "fakeagent serve": false,
	} {
		words := strings.Fields(line)
		if got := allowed(door.Request{Program: words[0], Args: words[1:]}); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// A refused hook is silent; any other refused command names the refusal.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		q      door.Request
		status int
		said   string
	}{
		{door.Request{Program: "agit", Args: []string{"config", "set", "gate", "x"}}, 4, "agit: `agit config set` does not run from inside the sandbox\n"},
		{door.Request{Program: "sh", Args: []string{"-c", "x"}}, 4, "sh: `sh` does not run from inside the sandbox\n"},
		{door.Request{Program: "memoryd", Args: []string{"hook", "install"}}, 0, ""},
		{door.Request{Program: "agit", Args: []string{"worktree-hook", "create"}}, 0, ""},
		{door.Request{Program: "agit", Args: []string{"spawn", "--hook"}}, 0, ""},
	} {
		var out, errs bytes.Buffer
		if got := (Agent{Dir: t.TempDir()}).run(t.Context(), tt.q, strings.NewReader(""), &out, &errs); got != tt.status || errs.String() != tt.said || out.Len() > 0 {
			t.Errorf("%+v: %d %q %q", tt.q, got, &out, &errs)
		}
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(root, "tree")
	for _, dir := range []string{filepath.Join(tree, "sub"), filepath.Join(root, "tree-2")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(root, filepath.Join(tree, "out")); err != nil {
		t.Skip(err)
	}
	a := Agent{Dir: tree}
	for dir, want := range map[string]string{tree: tree, filepath.Join(tree, "sub"): filepath.Join(tree, "sub"), filepath.Join(tree, "out"): tree, filepath.Join(root, "tree-2"): tree, root: tree, "": tree,
		filepath.Join(tree, "gone"): tree} {
		if got := a.folder(dir); got != want {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
}
