package integration

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// guidedTerminal is a program on a pseudo-terminal.
type guidedTerminal struct {
	t    *testing.T
	main *os.File

	mu    sync.Mutex
	shown strings.Builder
	read  int // how much of the output was checked
	news  chan struct{}
	ended bool
	done  chan struct{} // closed once all output was read
}

// answering starts a program on a pseudo-terminal.
func answering(t *testing.T, cmd *exec.Cmd) *guidedTerminal {
	t.Helper()
	main, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	must(t, unix.IoctlSetPointerInt(int(main.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(main.Fd()), unix.TIOCGPTN)
	must(t, err)
	other, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	defer other.Close()
	must(t, unix.IoctlSetWinsize(int(other.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 200}))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = other, other, other
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	must(t, cmd.Start())
	x := &guidedTerminal{t: t, main: main, news: make(chan struct{}, 1), done: make(chan struct{})}
	go x.listen()
	t.Cleanup(func() { _ = main.Close() })
	return x
}

func (x *guidedTerminal) listen() {
	part := make([]byte, 4096)
	for {
		n, err := x.main.Read(part)
		x.mu.Lock()
		x.shown.Write(part[:n])
		x.ended = err != nil
		x.mu.Unlock()
		select {
		case x.news <- struct{}{}:
		default:
		}
		if err != nil {
			close(x.done)
			return
		}
	}
}

// answer waits for new output with the words, and types a line.
func (x *guidedTerminal) answer(words, line string) {
	x.t.Helper()
	for late := time.After(2 * time.Minute); ; {
		x.mu.Lock()
		all, ended := x.shown.String(), x.ended
		at := strings.Index(all[x.read:], words)
		if at >= 0 {
			x.read += at + len(words)
		}
		x.mu.Unlock()
		if at >= 0 {
			_, err := io.WriteString(x.main, line+"\n")
			must(x.t, err)
			return
		}
		if ended {
			x.t.Fatalf("it ended without %q:\n%s", words, all)
		}
		select {
		case <-x.news:
		case <-late:
			x.t.Fatalf("it never asked %q:\n%s", words, all)
		}
	}
}

// TestFirstConnection: a person at a terminal is asked at most three things for each tracker, a refused key is asked for again, no key
// is shown, and the tickets are pulled.
func TestFirstConnection(t *testing.T) {
	t.Parallel()
	for name, setting := range secretSettings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := startTracker(name)
			must(t, err)
			t.Cleanup(f.end)
			h := newHome(t)
			secret := f.env[setting]
			typed := map[string][2]string{ // answers besides the key
				"jira":         {"Address of the site", f.env["AGIT_CFG_PROVIDERS_JIRA_URL"] + "/jira/software/projects/PROJ"},
				"azure_devops": {"Organization, as in", "https://dev.azure.com/" + f.env["AGIT_CFG_PROVIDERS_AZURE_DEVOPS_ORGANIZATION"] + "/"},
			}[name]
			part := ""
			for key, value := range f.env {
				if slices.Contains([]string{"AGIT_CFG_PROVIDER_TEAM_ID", "AGIT_CFG_PROVIDER_PROJECT_KEY", "AGIT_CFG_PROVIDER_PROJECT_ID", "AGIT_CFG_PROVIDER_PROJECT"}, key) {
					part = value
				}
				kept := strings.HasSuffix(key, "_URL") && name != "jira" || strings.Contains(key, "CFG_PROVIDER_PRIORITY") || strings.Contains(key, "CATEGORY_OF") || strings.Contains(key, "STATE_FOR")
				if kept && key != "FAKETRACKER_URL" {
					h.env = append(h.env, key+"="+value)
				}
			}
			h.env = slices.DeleteFunc(h.env, func(e string) bool { return strings.HasPrefix(e, "TERM=") })
			cmd := h.command(t.Context(), "pmsync", "connect", name)
			cmd.Env = append(cmd.Env, "TERM=xterm", "PATH=/usr/bin:/bin")
			x := answering(t, cmd)
			if typed[0] != "" {
				x.answer(typed[0], typed[1])
			}
			if name == "jira" {
				x.answer("Email of your account", f.env["AGIT_CFG_PROVIDERS_JIRA_EMAIL"])
			}
			x.answer("(not shown)", secret+"x") // mistyped
			x.answer("(not shown)", secret)
			x.answer("Which one does this project belong to?", part)
			if name == "asana" { // it has two states that mean done
				x.answer("Write them?", "")
			}
			x.answer("Fetch its tickets now?", "")
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, x.shown.String())
			}
			<-x.done
			shown := x.shown.String()
			if strings.Contains(shown, secret) || !strings.Contains(shown, "its states: todo: ") || !strings.Contains(shown, "pulled: 5 new") {
				t.Errorf("it showed\n%s", shown)
			}
			text, err := os.ReadFile(filepath.Join(cmd.Dir, ".agit.toml"))
			if err != nil || strings.Contains(string(text), secret) || !strings.Contains(string(text), name) {
				t.Errorf(".agit.toml is %q, %v", text, err)
			}
			if out, _, _ := h.run("pmsync", "pull", "--json"); !strings.Contains(out, `"items_created":0`) {
				t.Errorf("the next pull: %s", out)
			}
		})
	}
}

// TestFirstConnectionSettlesWhatIsOpen: the meanings of the states are proposed by their names. One answer writes them, effective at
// once without config trust; another answer writes nothing.
func TestFirstConnectionSettlesWhatIsOpen(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", "n"} {
		t.Run("answer "+answer, func(t *testing.T) {
			t.Parallel()
			f, err := startTracker("asana")
			must(t, err)
			t.Cleanup(f.end)
			h := newHome(t)
			h.env = slices.DeleteFunc(h.env, func(e string) bool { return strings.HasPrefix(e, "TERM=") })
			h.env = append(h.env, "AGIT_CFG_PROVIDERS_ASANA_URL="+f.env["AGIT_CFG_PROVIDERS_ASANA_URL"], "TERM=xterm")
			cmd := h.command(t.Context(), "pmsync", "connect", "asana")
			cmd.Env = append(cmd.Env, "PATH=/usr/bin:/bin")
			x := answering(t, cmd)
			x.answer("(not shown)", f.env["AGIT_CFG_PROVIDERS_ASANA_ACCESS_TOKEN"])
			x.answer("Which one does this project belong to?", "1")
			x.answer("Write them?", answer)
			x.answer("Fetch its tickets now?", "y")
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, x.shown.String())
			}
			<-x.done
			if shown := x.shown.String(); !strings.Contains(shown, "there are 5 To do (todo)") || !strings.Contains(shown, "priority_field") {
				t.Errorf("it showed\n%s", shown)
			}
			text, err := os.ReadFile(filepath.Join(cmd.Dir, ".agit.toml"))
			must(t, err)
			if wrote := strings.Contains(string(text), `"Doing=in_progress", "In review=in_progress", "Done=done", "Won't do=canceled"`); wrote != (answer == "") {
				t.Errorf(".agit.toml is\n%s", text)
			}
			_, said, code := h.run("pmsync", "ticket", "status", "1200000000100001", "in_progress")
			if (code == 0) != (answer == "") {
				t.Errorf("then a change of status ends with %d: %s", code, said)
			}
		})
	}
}
