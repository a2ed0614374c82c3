package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/integration/mcpclient"

	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// previous is the release before this one, whose programs the upgrade is tried
// from: its tag, or where clones have no tags the commit that it was made of.
var previous = []string{"v0.1.0", "7fa09c0"}

// buildPrevious builds programs of the release before this one, from the history
// of the clone that the test runs in.
func buildPrevious(t *testing.T, packages ...string) string {
	t.Helper()
	tree, bin := t.TempDir(), t.TempDir()
	found := false
	for _, revision := range previous {
		archive := exec.Command("git", "archive", "--format=tar", "-o", filepath.Join(bin, "tree.tar"), revision)
		archive.Dir = ".."
		if found = archive.Run() == nil; found {
			break
		}
	}
	if !found {
		t.Skipf("this clone does not hold %s, as a shallow one", strings.Join(previous, " or "))
	}
	for _, args := range [][]string{
		{"tar", "-xf", filepath.Join(bin, "tree.tar"), "-C", tree},
		append([]string{"go", "build", "-trimpath", "-buildvcs=false", "-o", bin + "/"}, packages...),
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = tree, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
	}
	return bin
}

// TestUpgradeOfALiveRegistry upgrades while the programs of the release before
// work: two of its servers with clients, and commands of both releases that
// write at once. All acknowledged changes exist afterwards. The old programs
// refuse with the reason, and change nothing. `make check-release` runs it.
func TestUpgradeOfALiveRegistry(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	if os.Getenv("AGIT_RELEASE") == "" {
		t.Skip("runs with AGIT_RELEASE=1, by make check-release: it builds the release before")
	}
	old := buildPrevious(t, "./agit", "./agit/cmd/agit-mcp", "./memoryd", "./memoryd/cmd/memoryd-mcp")
	h := newHome(t)
	before := func(name string, args ...string) *exec.Cmd {
		cmd := h.command(t.Context(), name, args...)
		cmd.Path, cmd.Args[0] = filepath.Join(old, name), filepath.Join(old, name)
		cmd.Env = append(cmd.Env, "PATH="+old+string(os.PathListSeparator)+os.Getenv("PATH"))
		return cmd
	}
	must(t, before("agit", "add", h.repo, "--name", "app").Run())

	// Two servers of the old release, each with an agent at work.
	tasks := mcpclient.Command(t, before("agit", "serve"))
	memory := mcpclient.Command(t, before("memoryd", "serve"))
	var task struct{ ID string }
	tasks.MustCall(t, "agit_create_task", args{"repo": "app", "description": "Add a login page"}, &task)
	tasks.MustCall(t, "agit_claim_task", args{"task_id": task.ID, "agent": "ann"}, nil)
	var session struct {
		ID string `json:"session_id"`
	}
	memory.MustCall(t, "session_start", args{"agent": "ann"}, &session)
	memory.MustCall(t, "session_note", args{"session_id": session.ID, "event_type": "decision", "content": "Dates are stored in UTC"}, nil)

	// Commands of both releases at once: the first new one upgrades.
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	var running sync.WaitGroup
	for n := range 16 {
		running.Go(func() {
			arguments := []string{"tasks", "app", "--create", fmt.Sprintf("task %d", n), "--json"}
			cmd := before("agit", arguments...)
			if n%2 == 1 {
				cmd = h.command(t.Context(), "agit", arguments...)
			}
			var said, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &said, &errs
			err := cmd.Run()
			if err != nil && (n%2 == 1 || !strings.Contains(errs.String(), "newer than this program")) {
				t.Errorf("task %d: %v\n%s", n, err, errs.String())
			}
			var made struct{ ID string }
			if err == nil && json.Unmarshal([]byte(said.String()), &made) == nil {
				mu.Lock()
				defer mu.Unlock()
				acknowledged[made.ID] = true
			}
		})
	}
	running.Wait()

	var stored struct{ Tasks []struct{ ID, Status string } }
	h.json(&stored, "tasks", "app", "--all", "--limit", "100")
	for _, one := range stored.Tasks {
		delete(acknowledged, one.ID)
		if one.ID == task.ID && one.Status != "claimed" {
			t.Errorf("ann's task is %s after the upgrade", one.Status)
		}
	}
	if len(acknowledged) > 0 || len(stored.Tasks) < 9 {
		t.Errorf("of the tasks that were acknowledged these are gone: %v; stored are %d", acknowledged, len(stored.Tasks))
	}

	// The old servers live, refuse, and say what to do; so do old commands.
	for name, fault := range map[string]*mcpclient.Fault{
		"agit":    tasks.MustFail(t, "agit_create_task", args{"repo": "app", "description": "too late"}),
		"memoryd": memory.MustFail(t, "session_note", args{"session_id": session.ID, "event_type": "decision", "content": "too late"}),
	} {
		if fault.Kind != "DatabaseError" || !strings.Contains(fault.Message, "newer than this program") {
			t.Errorf("the old server of %s says %v", name, fault)
		}
	}
	if out, err := before("agit", "status").CombinedOutput(); err == nil || !strings.Contains(string(out), "newer than this program") {
		t.Errorf("the old agit says %v: %s", err, out)
	}

	// The new release goes on where they were, and holds nothing of what came too late.
	_ = memory.Close() // it may not write its end either, and says so
	started := h.ok("memoryd", "session", "start", "--agent", "ann", "--resume-last")
	if !strings.Contains(started, "Dates are stored in UTC") || strings.Contains(started, "too late") {
		t.Errorf("the session that is resumed holds\n%s", started)
	}
	fresh := mcpclient.Command(t, h.command(t.Context(), "agit", "serve"))
	fresh.MustCall(t, "agit_complete_task", args{"task_id": task.ID, "agent_id": "ann"}, nil)
	if kept, err := filepath.Glob(filepath.Join(h.dir, "home", ".agit", "agit.db.schema-*")); err != nil || len(kept) != 1 {
		t.Errorf("copies of the earlier schema: %v, %v", kept, err)
	}
	h.sound()
}
