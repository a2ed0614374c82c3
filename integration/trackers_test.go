package integration

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// trackerWords are what scripts about trackers call things, for each tracker.
var trackerWords = map[string]map[string]string{
	"linear":       {"OTHER": "jira", "OPTION": "--team", "TODO": "Backlog", "DOING": "In Progress", "REVIEW": "In Review", "DONE": "Done"},
	"jira":         {"OTHER": "linear", "OPTION": "--project-key", "TODO": "To Do", "DOING": "In Progress", "REVIEW": "In Review", "DONE": "Done"},
	"asana":        {"OTHER": "linear", "OPTION": "--project-id", "TODO": "To do", "DOING": "Doing", "REVIEW": "In review", "DONE": "Done"},
	"github":       {"OTHER": "linear", "OPTION": "--repo", "TODO": "Open", "DOING": "in progress", "REVIEW": "in review", "DONE": "Completed"},
	"azure_devops": {"OTHER": "linear", "OPTION": "--project-name", "TODO": "New", "DOING": "Active", "REVIEW": "In Review", "DONE": "Closed"},
}

// TestTrackers runs the scripts about trackers, each for every one of them.
func TestTrackers(t *testing.T) {
	t.Parallel()
	for name, words := range trackerWords {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Dir: filepath.Join("testdata", "trackers"), Cmds: commands, Condition: condition, RequireExplicitExec: true, RequireUniqueNames: true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("PROVIDER", name)
					for word, value := range words {
						env.Setenv(word, value)
					}
					env.Setenv("AGIT_CFG_SYNC_AUTO_PUSH_ON_STATUS_CHANGE", "false") // a script says when to push
					return setup(env)
				},
			})
		})
	}
}

// fakeTracker is a running faketracker.
type fakeTracker struct {
	cmd   *exec.Cmd
	stdin io.Closer
	url   string
	env   map[string]string // that points pmsync at it
}

// startTracker starts a faketracker. It ends with the test at the latest.
func startTracker(name string, flags ...string) (*fakeTracker, error) {
	cmd := exec.Command(filepath.Join(binaries, "faketracker"), append(flags, name)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	f := &fakeTracker{cmd: cmd, stdin: stdin, env: map[string]string{}}
	text, err := io.ReadAll(bufio.NewReader(stdout)) // which it closes when it listens
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(string(text), "export ") {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			continue
		}
		if strings.HasPrefix(value, "'") {
			value = strings.ReplaceAll(value[1:len(value)-1], `'\''`, "'")
		}
		f.env[name] = value
	}
	if f.url = f.env["FAKETRACKER_URL"]; f.url == "" {
		f.end()
		return nil, fmt.Errorf("faketracker %s does not say where it listens: %q", name, text)
	}
	return f, nil
}

func (f *fakeTracker) end() {
	_ = f.stdin.Close()
	_ = f.cmd.Wait()
}

// remoteItem is a ticket as the fake lists it.
type remoteItem struct {
	ID, Title, Status string
	Comments          []string
}

func (f *fakeTracker) items() (all []remoteItem, raw []byte, err error) {
	answer, err := http.Get(f.url + "/-/items")
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	if raw, err = io.ReadAll(answer.Body); err == nil {
		err = json.Unmarshal(raw, &all)
	}
	return all, raw, err
}

func (f *fakeTracker) edit(values url.Values) error {
	answer, err := http.PostForm(f.url+"/-/edit", values)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("edit %v: %s", values, answer.Status)
	}
	return nil
}

type trackerKey struct{}

// trackerCommand is what scripts do to a tracker: `tracker start [NAME]` points
// pmsync at a new one, `tracker end` lets it vanish, `tracker edit TITLE NAME=VALUE…`
// is what another person does, `tracker items FILE` writes what it has.
func trackerCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: tracker start|end|edit|items")
	}
	running, _ := ts.Value(trackerKey{}).(**fakeTracker)
	switch args[0] {
	case "start":
		f, err := startTracker(ts.Getenv("PROVIDER"), args[1:]...)
		ts.Check(err)
		ts.Defer(f.end)
		for name, value := range f.env {
			switch name {
			case "AGIT_CFG_PROVIDER_NAME": // pmsync connect writes it, and the part
			case "AGIT_CFG_PROVIDER_TEAM_ID", "AGIT_CFG_PROVIDER_PROJECT_KEY", "AGIT_CFG_PROVIDER_PROJECT_ID", "AGIT_CFG_PROVIDER_PROJECT":
				ts.Setenv("PART", value)
			default:
				ts.Setenv(name, value)
			}
		}
		*running = f
	case "end":
		(*running).end()
	case "edit":
		all, _, err := (*running).items()
		ts.Check(err)
		at := slices.IndexFunc(all, func(i remoteItem) bool { return i.Title == args[1] })
		if at < 0 {
			ts.Fatalf("the tracker has no %q: %v", args[1], all)
		}
		values := url.Values{"id": {all[at].ID}}
		for _, arg := range args[2:] {
			name, value, _ := strings.Cut(arg, "=")
			values.Set(name, value)
		}
		ts.Check((*running).edit(values))
	case "items":
		_, raw, err := (*running).items()
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), raw, 0o600))
	default:
		ts.Fatalf("tracker does not know %q", args[0])
	}
}
