//go:build unix

package integration

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// asked waits until an agent asks something, and returns the question's id.
func (h *home) asked() (id string) {
	h.t.Helper()
	within(h.t, "a question waits", func() bool {
		id = h.ok("agit", "answer", "--json", "--jq", `.questions[0].id // ""`)
		return id != ""
	})
	return id
}

// acpWorker starts a worker of the scripted agent.
func (h *home) acpWorker(args ...string) (*exec.Cmd, *bytes.Buffer) {
	h.t.Helper()
	args = append([]string{"--agent", "ann", "--until-empty", "--attempts", "1"}, args...)
	return h.worker(append(args, "--env", "ACP_*", "--acp", "--", "fakeacp")...)
}

// TestQuestions lets an agent ask a person: the question is shown on the screens, the limits pause, and the answer reaches the agent.
func TestQuestions(t *testing.T) {
	t.Parallel()
	h, _, _ := workHome(t, "asks: one")
	cmd, said := h.acpWorker("--limit", "2s", "--idle", "2s")
	id := h.asked()
	list := h.ok("agit", "answer")
	for _, part := range []string{id, "ann", "T-1", "shell: odd now"} {
		if !strings.Contains(list, part) {
			t.Errorf("the list lacks %q:\n%s", part, list)
		}
	}
	if status := h.ok("agit", "status", "app"); !strings.Contains(status, "waiting for you") || !strings.Contains(status, id+": shell: odd now") {
		t.Errorf("the status does not show it:\n%s", status)
	}
	<-time.After(2500 * time.Millisecond) // longer than both limits
	if out, errs, code := h.run("agit", "answer", id); code != 2 || !strings.Contains(errs, "--allow") {
		t.Errorf("no answer is accepted: %d %s%s", code, out, errs)
	}
	if _, errs, code := h.run("agit", "answer", "q-nothing", "--allow"); code != 3 {
		t.Errorf("a question that is not there: %d %s", code, errs)
	}
	h.ok("agit", "answer", id[:len(id)-2], "--deny", "use the", "mirror")
	if err := cmd.Wait(); err != nil || h.status("T-1") != "completed" {
		t.Fatalf("%v, the task is %s\n%s", err, h.status("T-1"), said)
	}
	if !strings.Contains(said.String(), "asks") || !strings.Contains(said.String(), "agit answer "+id) {
		t.Errorf("the worker does not say what it asks:\n%s", said)
	}
	if log := h.logs(); !strings.Contains(log, "[denied] shell: odd now (a person denied it: use the mirror)") {
		t.Errorf("the log lacks the answer:\n%s", log)
	}
	if _, errs, code := h.run("agit", "answer", id, "--allow"); code != 4 || !strings.Contains(errs, "denied already") {
		t.Errorf("a second answer: %d %s", code, errs)
	}
}

// logs returns the output of all agents.
func (h *home) logs() (all string) {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.dir, "home", ".agit", "logs", "*", "*.log"))
	must(h.t, err)
	if len(files) == 0 {
		files, _ = filepath.Glob(filepath.Join(h.dir, "*", "logs", "*", "*.log"))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(h.t, err)
		all += string(text)
	}
	return all
}

// TestQuestionsAlways adds the narrowest rule, so that the next task is not asked about.
func TestQuestionsAlways(t *testing.T) {
	t.Parallel()
	h, _, _ := workHome(t, "asks: one", "asks: two", "asks/strange: three")
	h.ok("agit", "config", "set", "work.allow", "shell(something else)")
	cmd, said := h.acpWorker()
	if out := h.ok("agit", "answer", h.asked(), "--always"); !strings.Contains(out, "allowed") {
		t.Error(out)
	}
	h.ok("agit", "answer", h.asked(), "--allow") // to the third question: the second task asked nothing
	if err := cmd.Wait(); err != nil || strings.Count(said.String(), "agit answer") != 2 {
		t.Errorf("%v\n%s", err, said)
	}
	if rules := h.ok("agit", "config", "get", "work.allow"); !strings.Contains(rules, "shell(odd now)") || !strings.Contains(rules, "something else") || strings.Contains(rules, "strange") {
		t.Errorf("the rules are %s", rules)
	}
}

// TestQuestionsUnanswered continues after no answer in time, and asks no one if so configured.
func TestQuestionsUnanswered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ waits, want string }{{"1s", "no one answered within 1s"}, {"0s", "no rule allows it, and no one is asked"}} {
		t.Run(test.waits, func(t *testing.T) {
			t.Parallel()
			h, _, _ := workHome(t, "asks: one")
			h.ok("agit", "config", "set", "work.ask_for", test.waits)
			cmd, said := h.acpWorker()
			if err := cmd.Wait(); err != nil || h.status("T-1") != "completed" {
				t.Errorf("%v\n%s", err, said)
			}
			if log := h.logs(); !strings.Contains(log, test.want) {
				t.Errorf("the log lacks %q:\n%s", test.want, log)
			}
		})
	}
}

// TestOnlyPeopleAnswer lets an agent try to answer itself: by its name, in its run, and as a process that hides both.
func TestOnlyPeopleAnswer(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("descent is seen where /proc is")
	}
	h, _, played := workHome(t, "cheats: one")
	cmd, said := h.acpWorker()
	id := h.asked()
	h.await(filepath.Join(played, "cheated"))
	if tried, err := os.ReadFile(filepath.Join(played, "cheats")); err != nil || string(tried) != "4\n4\n4\n4\n" {
		t.Errorf("its tries ended with %q, %v", tried, err)
	}
	bob := *h
	bob.env = append(slices.Clone(h.env), "AGIT_AGENT=bob")
	if out, errs, code := bob.run("agit", "answer", id, "--allow"); code != 4 || !strings.Contains(errs, "only a person may") {
		t.Errorf("an agent's name: %d %s%s", code, out, errs)
	}
	h.ok("agit", "answer", id, "--deny")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if _, err := os.Stat(filepath.Join(played, "allowed")); err == nil {
		t.Error("it allowed itself what it asked for")
	}
}

// TestQuestionsKilled kills the worker, or the agent, while a question waits: none stays open, and the task is done at the next start.
func TestQuestionsKilled(t *testing.T) {
	t.Parallel()
	for _, victim := range []string{"worker", "agent"} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			h, _, _ := workHome(t, "asks: one")
			cmd, said := h.acpWorker("--attempts", "5", "--pause", "1s")
			id := h.asked()
			if victim == "worker" {
				must(t, cmd.Process.Kill())
				_ = cmd.Wait()
				if _, errs, code := h.run("agit", "answer", id, "--allow"); code != 4 || !strings.Contains(errs, "does not wait") {
					t.Errorf("an answer that no one waits for: %d %s", code, errs)
				}
				cmd, said = h.acpWorker("--attempts", "5", "--pause", "1s")
			} else {
				h.killAgent()
			}
			if err := cmd.Wait(); err != nil || h.status("T-1") != "completed" {
				t.Errorf("%v, the task is %s\n%s", err, h.status("T-1"), said)
			}
			if open := h.ok("agit", "answer", "--json", "--jq", ".questions | length"); open != "0" {
				t.Errorf("%s questions stay open", open)
			}
			if stray := h.stray(); len(stray) > 0 {
				t.Errorf("it leaves %v", stray)
			}
		})
	}
}

// killAgent kills the scripted agents of this home.
func (h *home) killAgent() {
	h.t.Helper()
	for _, one := range h.stray() {
		pid, line, _ := strings.Cut(one, " ")
		if n, err := strconv.Atoi(pid); err == nil && strings.Contains(line, "/fakeacp") {
			if p, err := os.FindProcess(n); err == nil {
				_ = p.Kill()
			}
		}
	}
}

// TestAgentsKilled kills workers and agents of the protocol at random points until every task has landed once and no question is open.
func TestAgentsKilled(t *testing.T) {
	t.Parallel()
	rounds := 4
	if os.Getenv("AGIT_WORK_DAY") != "" {
		rounds = 30
	}
	h, _, _ := workHome(t, "good: a", "limit: b", "red: c", "half: d", "rate: e", "crash: f", "asks: g")
	h.ok("agit", "config", "set", "work.ask_for", "2s")
	since := h.ok("git", "rev-parse", "HEAD")
	args := []string{"--workers", "2", "--attempts", "100", "--pause", "1s", "--idle", "3s"}
	chance := rand.New(rand.NewPCG(3, 30))
	for i := range rounds {
		cmd, _ := h.acpWorker(args...)
		timer := time.AfterFunc(time.Duration(50+chance.IntN(2000))*time.Millisecond, func() {
			if i%2 == 1 {
				h.killAgent()
			}
			_ = cmd.Process.Kill()
		})
		_ = cmd.Wait()
		timer.Stop()
	}
	cmd, said := h.acpWorker(args...)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the last start: %v\n%s", err, said)
	}
	for i := range 7 {
		id := "T-" + strconv.Itoa(i+1)
		if h.status(id) != "completed" {
			t.Errorf("%s is %s\n%s", id, h.status(id), said)
		}
	}
	if open := h.ok("agit", "answer", "--json", "--jq", ".questions | length"); open != "0" {
		t.Errorf("%s questions stay open", open)
	}
	if stray := h.stray(); len(stray) > 0 {
		t.Errorf("they leave %v", stray)
	}
	h.green(since)
	if n := h.ok("agit", "queue", "app", "--past", "1000", "--json", "--jq", `[.landings[] | select(.state == "landed")] | length`); n != "7" {
		t.Errorf("%s landings of seven tasks", n)
	}
	h.sound()
}
