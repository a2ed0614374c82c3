//go:build unix

package integration

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// workHome is a home whose work lands by the repository's own test, with a folder
// in which clients count their runs.
func workHome(t *testing.T, tasks ...string) (h *home, client, played string) {
	t.Helper()
	h = newHome(t)
	played = filepath.Join(h.dir, "played")
	must(t, os.MkdirAll(played, 0o755))
	h.env = append(h.env, "AGIT_PLAYED="+played)
	client, err := filepath.Abs(filepath.Join("testdata", "work", "client.sh"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(h.repo, "check.sh"), []byte("test ! -e red.txt && ! grep -q '^<<<<' *.txt\n"), 0o755))
	h.ok("git", "add", "check.sh")
	h.ok("git", "commit", "-qm", "the check")
	h.ok("agit", "add", ".", "--name", "app")
	h.ok("agit", "config", "set", "gate", "sh check.sh")
	h.ok("agit", "config", "set", "land", "gate")
	for i, name := range tasks {
		h.ok("agit", "tasks", "app", "--create", name, "--id", fmt.Sprintf("T-%d", i+1))
	}
	return h, client, played
}

// worker starts agit work and returns it with what it prints.
func (h *home) worker(args ...string) (*exec.Cmd, *bytes.Buffer) {
	h.t.Helper()
	cmd := h.command(h.t.Context(), "agit", append([]string{"work", "app"}, args...)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	must(h.t, cmd.Start())
	return cmd, &said
}

func (h *home) await(file string) {
	h.t.Helper()
	within(h.t, file+" exists", func() bool {
		_, err := os.Stat(file)
		return err == nil
	})
}

func (h *home) status(task string) string {
	h.t.Helper()
	return h.ok("agit", "tasks", "show", task, "--json", "--jq", ".status")
}

// stray returns processes that have a run's id in their environment and work below
// the home.
func (h *home) stray() (found []string) {
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	must(h.t, err)
	for _, path := range environs {
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("\x00AGIT_RUN=")) || !bytes.Contains(text, []byte(h.dir)) {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found = append(found, filepath.Base(filepath.Dir(path))+" "+strings.ReplaceAll(string(name), "\x00", " "))
	}
	return found
}

// TestWorkIsResumed ends a worker in the middle of a task in every way there is: the
// next start goes on with it, in the same worktree, and lands both halves.
func TestWorkIsResumed(t *testing.T) {
	t.Parallel()
	// These tests may run under nohup; the programs that they start must not ignore a hangup as well.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
	for name, end := range map[string]func(*exec.Cmd){
		"the second Ctrl-C": func(c *exec.Cmd) {
			must(t, c.Process.Signal(os.Interrupt))
			<-time.After(100 * time.Millisecond) // two at once are one
			must(t, c.Process.Signal(os.Interrupt))
		},
		"SIGTERM": func(c *exec.Cmd) { must(t, c.Process.Signal(syscall.SIGTERM)) },
		"SIGHUP":  func(c *exec.Cmd) { must(t, c.Process.Signal(syscall.SIGHUP)) },
		"kill -9": func(c *exec.Cmd) { must(t, c.Process.Kill()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, client, played := workHome(t, "twice: cut off")
			cmd, said := h.worker("--agent", "ann", "--until-empty", "--", client)
			h.await(filepath.Join(played, "up"))
			if out, errs, code := h.run("agit", "work", "app", "--agent", "ANN", "--until-empty", "--", client); code != 4 || !strings.Contains(errs, "another `agit work` runs as agent") {
				t.Errorf("a second worker of the name: status %d\n%s%s", code, out, errs)
			}
			end(cmd)
			_ = cmd.Wait()
			if name != "kill -9" {
				if stray := h.stray(); len(stray) > 0 {
					t.Errorf("it left %v\n%s", stray, said)
				}
			}
			if status := h.status("T-1"); status != "in_progress" {
				t.Errorf("the task is %s\n%s", status, said)
			}
			again, errs, code := h.run("agit", "work", "app", "--agent", "ann", "--until-empty", "--json", "--", client)
			if code != 0 || !strings.Contains(again, `"landed":1`) {
				t.Errorf("the next start: status %d\n%s%s", code, again, errs)
			}
			if name == "kill -9" != strings.Contains(errs, "picked up") {
				t.Errorf("what it picked up: %s", errs)
			}
			if stray := h.stray(); len(stray) > 0 {
				t.Errorf("it leaves %v", stray)
			}
			for _, file := range []string{"T-1.txt", "T-1-2.txt"} {
				if _, err := os.Stat(filepath.Join(h.repo, file)); err != nil {
					t.Errorf("%s did not land", file)
				}
			}
		})
	}
}

// TestWorkEndsAfterItsTask asks once: the running task is finished, and no other is
// begun.
func TestWorkEndsAfterItsTask(t *testing.T) {
	t.Parallel()
	h, _, played := workHome(t, "one", "two")
	wait := filepath.Join(h.dir, "client.sh")
	must(t, os.WriteFile(wait, []byte("cat >/dev/null; touch $AGIT_PLAYED/up; while [ ! -e $AGIT_PLAYED/go ]; do sleep 0.05; done; echo x >$AGIT_TASK.txt\n"), 0o755))
	cmd, said := h.worker("--agent", "ann", "--", "sh", wait)
	h.await(filepath.Join(played, "up"))
	must(t, cmd.Process.Signal(os.Interrupt))
	must(t, os.WriteFile(filepath.Join(played, "go"), nil, 0o644))
	if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), "1 landed") {
		t.Errorf("%v\n%s", err, said)
	}
	if one, two := h.status("T-1"), h.status("T-2"); one != "completed" || two != "pending" {
		t.Errorf("the tasks are %s and %s", one, two)
	}
}

// TestWorkHearsOfTasks lets a worker wait until another process makes a task, and
// takes the task away from it while it runs.
func TestWorkHearsOfTasks(t *testing.T) {
	t.Parallel()
	h, client, played := workHome(t)
	cmd, said := h.worker("--agent", "ann", "--tasks", "2", "--", client)
	h.ok("agit", "tasks", "app", "--create", "good: late", "--id", "T-late")
	h.await(filepath.Join(played, "T-late"))
	h.ok("agit", "tasks", "app", "--create", "stubborn: to be taken", "--id", "T-taken")
	h.await(filepath.Join(played, "up"))
	h.ok("agit", "tasks", "--release", "T-taken", "--force")
	if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), "no longer the agent's") {
		t.Errorf("%v\n%s", err, said)
	}
	if status := h.status("T-taken"); status != "pending" {
		t.Errorf("the task that was taken is %s", status)
	}
	if stray := h.stray(); len(stray) > 0 {
		t.Errorf("it leaves %v", stray)
	}
}

// TestWorkersKilled kills workers at random points until every task has landed, each
// once, by the repository's own test.
func TestWorkersKilled(t *testing.T) {
	t.Parallel()
	rounds, tasks := 30, 16
	if testing.Short() || os.Getenv("AGIT_WORK_DAY") == "" {
		rounds, tasks = 4, 6
	}
	var names []string
	for i := range tasks {
		names = append(names, []string{"good: a", "shared: b", "server: c"}[i%3]+fmt.Sprint(i))
	}
	h, client, _ := workHome(t, names...)
	since := h.ok("git", "rev-parse", "HEAD")
	chance := rand.New(rand.NewPCG(3, 16))
	args := []string{"--agent", "w", "--workers", "2", "--until-empty", "--attempts", "100", "--pause", "1s", "--", client}
	for range rounds {
		cmd, _ := h.worker(args...)
		timer := time.AfterFunc(time.Duration(50+chance.IntN(1500))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
	}
	out, errs, code := h.run("agit", append([]string{"work", "app"}, args...)...)
	if code != 0 {
		t.Fatalf("the last start: status %d\n%s%s", code, out, errs)
	}
	for i := range tasks {
		id := fmt.Sprintf("T-%d", i+1)
		if status := h.status(id); status != "completed" {
			t.Errorf("%s is %s\n%s", id, status, errs)
		}
	}
	if stray := h.stray(); len(stray) > 0 {
		t.Errorf("they leave %v", stray)
	}
	if lines := strings.Fields(h.ok("git", "show", "HEAD:shared.txt")); len(lines) < (tasks+1)/3 {
		t.Errorf("shared.txt has %v", lines)
	}
	if dirty := h.ok("git", "status", "--porcelain"); dirty != "" {
		t.Errorf("the main checkout is left dirty:\n%s", dirty)
	}
	h.green(since)
	h.sound()
}

// TestDayWithoutAPerson lets five agents work through an imported plan. AGIT_WORK_DAY
// makes it one of 60 tasks.
func TestDayWithoutAPerson(t *testing.T) {
	t.Parallel()
	tasks := 15
	if os.Getenv("AGIT_WORK_DAY") != "" {
		tasks = 60
	}
	// Of fifteen: eleven that land, of which one is handed back for its gate and some
	// for conflicts, and four that cannot.
	roles := []string{"good", "good", "shared", "good", "crash", "good", "dirt", "nothing", "good", "shared", "red", "good", "redder", "good", "detach"}
	lands := map[string]bool{"good": true, "shared": true, "dirt": true, "red": true}
	h, client, _ := workHome(t)
	var plan strings.Builder
	want := 0
	for i := range tasks {
		role := roles[i%len(roles)]
		if lands[role] {
			want++
		}
		after := ""
		if i >= 5 && lands[roles[(i-5)%len(roles)]] {
			after = fmt.Sprintf(`,"dependsOn":["P-%d"]`, i-5)
		}
		fmt.Fprintf(&plan, `{"id":"P-%d","name":"%s: task %d of the plan"%s}`+"\n", i, role, i, after)
	}
	file := filepath.Join(h.dir, "plan.ndjson")
	must(t, os.WriteFile(file, []byte(plan.String()), 0o644))
	h.ok("agit", "import", file)

	begun, since := time.Now(), h.ok("git", "rev-parse", "HEAD")
	out, errs, code := h.run("agit", "work", "app", "--agent", "agent", "--workers", "5", "--until-empty", "--attempts", "2", "--pause", "1s", "--json", "--", client)
	if code != 1 {
		t.Fatalf("status %d\n%s%s", code, out, errs)
	}
	var list struct {
		Tasks []struct{ ID, Name, Status, Result string }
	}
	h.json(&list, "tasks", "app", "--status", "pending,claimed,in_progress,completed,failed", "--limit", "100")
	landed := 0
	for _, task := range list.Tasks {
		role, _, _ := strings.Cut(task.Name, ":")
		switch {
		case task.Status == "completed":
			landed++
		case lands[role]:
			t.Errorf("%s (%s) is %s: %s", task.ID, task.Name, task.Status, task.Result)
		case task.Status == "failed" && task.Result == "":
			t.Errorf("%s failed without a reason", task.ID)
		}
	}
	t.Logf("%d of %d tasks landed, %d were made to, in %s", landed, tasks, want, time.Since(begun).Round(time.Second))
	if stray := h.stray(); len(stray) > 0 {
		t.Errorf("they leave %v", stray)
	}
	h.green(since)
	h.sound()
}
