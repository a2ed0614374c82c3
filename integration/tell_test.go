//go:build unix

package integration

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// heard counts the prompts that agents of the protocol got with a text.
func heard(t *testing.T, played, text string) (n int) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(played, "acp.log"))
	must(t, err)
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, `"method":"session/prompt"`) && strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// TestTell sends an agent a message: it is shown while it waits, arrives as the next turn of the agent's session, and appears in the
// log.
func TestTell(t *testing.T) {
	t.Parallel()
	h, _, played := workHome(t, "until: one")
	cmd, said := h.acpWorker()
	h.await(filepath.Join(played, "up"))
	following := h.command(t.Context(), "agit", "attach", "ann", "--once")
	var seen bytes.Buffer
	following.Stdout, following.Stderr = &seen, &seen
	must(t, following.Start())
	h.ok("agit", "tell", "ann", "keep it", "short")
	if list := h.ok("agit", "tell"); !strings.Contains(list, "keep it short") || !strings.Contains(list, "T-1") {
		t.Errorf("the list of what waits:\n%s", list)
	}
	if status := h.ok("agit", "status", "app"); !strings.Contains(status, "1 message waits") {
		t.Errorf("the status does not show it:\n%s", status)
	}
	touchIn(t, played, "go")
	if err := cmd.Wait(); err != nil || h.status("T-1") != "completed" {
		t.Fatalf("%v, the task is %s\n%s", err, h.status("T-1"), said)
	}
	if n := heard(t, played, "keep it short"); n != 1 {
		t.Errorf("it was told %d times", n)
	}
	if got := h.ok("git", "show", "HEAD:T-1-told.txt"); got != "keep it short" {
		t.Errorf("what it did with it: %q", got)
	}
	log := h.logs()
	for _, line := range []string{"agit: a person tells ann: keep it short\n", "[told] keep it short\n", "[edit] Write T-1-told.txt\n[done] Write T-1-told.txt\n", "[done] git add"} {
		if !strings.Contains(log, line) {
			t.Errorf("the log lacks %q:\n%s", line, log)
		}
	}
	if left := h.ok("agit", "tell", "--json", "--jq", ".messages | length"); left != "0" {
		t.Errorf("%s messages wait still", left)
	}
	if err := following.Wait(); err != nil || !strings.Contains(seen.String(), "ann at T-1 with fakeacp") || !strings.Contains(seen.String(), "[told] keep it short") {
		t.Errorf("who follows it sees: %v\n%s", err, seen.String())
	}
	if _, errs, code := h.run("agit", "attach", "ann"); code != 3 || !strings.Contains(errs, "agit logs ann") {
		t.Errorf("an agent that is not at work: %d %s", code, errs)
	}
}

func touchIn(t *testing.T, folder, name string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(folder, name), nil, 0o644))
}

// TestTellNow cancels the current turn; a client without turns is ended and started again with the text. It does not count as an
// attempt.
func TestTellNow(t *testing.T) {
	t.Parallel()
	t.Run("protocol", func(t *testing.T) {
		t.Parallel()
		h, _, played := workHome(t, "waits: one")
		cmd, said := h.acpWorker()
		h.await(filepath.Join(played, "up"))
		h.ok("agit", "tell", "ann", "--now", "write the file")
		if err := cmd.Wait(); err != nil || h.status("T-1") != "completed" {
			t.Fatalf("%v, the task is %s\n%s", err, h.status("T-1"), said)
		}
		log, err := os.ReadFile(filepath.Join(played, "acp.log"))
		if must(t, err); !strings.Contains(string(log), `"method":"session/cancel"`) || heard(t, played, "write the file") != 1 {
			t.Errorf("the turn was not cancelled for it:\n%s", log)
		}
	})
	t.Run("command line", func(t *testing.T) {
		t.Parallel()
		h, _, played := workHome(t, "one")
		script := filepath.Join(h.dir, "client.sh")
		must(t, os.WriteFile(script, []byte(`cat >>"$AGIT_PLAYED/briefs"
if [ ! -e "$AGIT_PLAYED/up" ]; then touch "$AGIT_PLAYED/up"; sleep 60 & wait; exit 1; fi
echo x >told.txt; git add told.txt; git commit -qm told
`), 0o755))
		cmd, said := h.worker("--agent", "ann", "--until-empty", "--attempts", "1", "--", "sh", script)
		h.await(filepath.Join(played, "up"))
		h.ok("agit", "tell", "ann", "--now", "not that way")
		if err := cmd.Wait(); err != nil || h.status("T-1") != "completed" {
			t.Fatalf("%v, the task is %s\n%s", err, h.status("T-1"), said)
		}
		briefs, err := os.ReadFile(filepath.Join(played, "briefs"))
		if must(t, err); strings.Count(string(briefs), "not that way") != 1 || strings.Count(string(briefs), "## Task T-1") != 2 {
			t.Errorf("it read\n%s", briefs)
		}
	})
}

// TestTellKilled kills the worker between a person's message and its delivery: the next start delivers it once.
func TestTellKilled(t *testing.T) {
	t.Parallel()
	h, _, played := workHome(t, "until: one")
	cmd, _ := h.acpWorker("--attempts", "5")
	h.await(filepath.Join(played, "up"))
	h.ok("agit", "tell", "ann", "mind the gap")
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if list := h.ok("agit", "tell"); !strings.Contains(list, "mind the gap") {
		t.Errorf("it does not wait any more:\n%s", list)
	}
	touchIn(t, played, "go")
	cmd, said := h.acpWorker("--attempts", "5")
	if err := cmd.Wait(); err != nil || h.status("T-1") != "completed" {
		t.Fatalf("%v, the task is %s\n%s", err, h.status("T-1"), said)
	}
	if n := heard(t, played, "mind the gap"); n != 1 {
		t.Errorf("it was told %d times", n)
	}
	if log, err := os.ReadFile(filepath.Join(played, "acp.log")); err != nil || !strings.Contains(string(log), `"method":"session/resume"`) {
		t.Errorf("its session is not gone on with after the kill: %v\n%s", err, log)
	}
}

// TestOnlyPeopleTell refuses agents by their names and in their runs.
func TestOnlyPeopleTell(t *testing.T) {
	t.Parallel()
	h, _, played := workHome(t, "until: one")
	cmd, said := h.acpWorker()
	h.await(filepath.Join(played, "up"))
	for _, setting := range []string{"AGIT_AGENT=bob", "AGIT_RUN=run-x"} {
		other := *h
		other.env = append(slices.Clone(h.env), setting)
		if out, errs, code := other.run("agit", "tell", "ann", "do it"); code != 4 || !strings.Contains(errs, "only a person may") {
			t.Errorf("%s: %d %s%s", setting, code, out, errs)
		}
	}
	if _, errs, code := h.run("agit", "tell", "amm", "do it"); code != 3 {
		t.Errorf("an agent that does not exist: %d %s", code, errs)
	}
	id := h.ok("agit", "tell", "ann", "do it", "--json", "--jq", ".id")
	h.ok("agit", "tell", "--withdraw", id)
	touchIn(t, played, "go")
	if err := cmd.Wait(); err != nil || heard(t, played, "do it") != 0 {
		t.Errorf("%v\n%s", err, said)
	}
}
