//go:build unix

package integration

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// model starts the scripted model with some rules and returns its address and the file with its requests.
func (l clientLab) model(t *testing.T, rules ...object) (address, log string) {
	t.Helper()
	text, err := json.Marshal(object{"rules": rules})
	must(t, err)
	folder := t.TempDir()
	file, log := filepath.Join(folder, "scenario.json"), filepath.Join(folder, "log")
	must(t, os.WriteFile(file, text, 0o600))
	cmd := exec.Command(filepath.Join(binaries, "fakemodel"), "--log", log, file)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	return strings.TrimSpace(line), log
}

// night is a project of its own for one client, whose model is at an address.
func (l clientLab) night(t *testing.T, client, address string, tasks int) clientLab {
	t.Helper()
	root := t.TempDir()
	n := clientLab{home: filepath.Join(root, "home"), project: filepath.Join(root, "app")}
	temp := filepath.Join(root, "tmp") // Codex runs no command for a home folder in the folder of temporary files
	for _, folder := range []string{n.project, temp, filepath.Join(n.home, ".codex"), filepath.Join(n.home, ".gemini"), filepath.Join(n.home, ".config", "opencode")} {
		must(t, os.MkdirAll(folder, 0o755))
	}
	n.env = slices.DeleteFunc(slices.Clone(l.env), func(v string) bool {
		return slices.ContainsFunc([]string{"HOME=", "USERPROFILE=", "XDG_", "TMPDIR=", "AGIT_"}, func(beginning string) bool { return strings.HasPrefix(v, beginning) })
	})
	n.env = append(n.env, "HOME="+n.home, "TMPDIR="+temp, "ANTHROPIC_BASE_URL="+address, "ANTHROPIC_API_KEY=sk-ant-none", "OPENAI_API_KEY=sk-none",
		"GOOGLE_GEMINI_BASE_URL="+address, "GEMINI_API_KEY=none")
	for name, content := range map[string]string{
		".codex/config.toml": "model = \"gpt-none\"\nmodel_provider = \"fake\"\n[model_providers.fake]\nname = \"fake\"\nbase_url = \"" + address + "/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n" +
			"request_max_retries = 1\nstream_max_retries = 1\n[projects.\"" + n.project + "\"]\ntrust_level = \"trusted\"\n",
		".config/opencode/opencode.json": `{"model": "fake/none", "small_model": "fake/none", "autoupdate": false, "provider": {"fake": {"npm": "@ai-sdk/anthropic", "options": {"baseURL": "` + address + `/v1", "apiKey": "x"}, "models": {"none": {"name": "none", "tool_call": true}}}}}`,
		".gemini/settings.json":          `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "model": {"name": "gemini-2.5-flash"}}`,
		".gemini/trustedFolders.json":    `{"` + n.project + `": "TRUST_FOLDER"}`,
	} {
		must(t, os.WriteFile(filepath.Join(n.home, filepath.FromSlash(name)), []byte(content), 0o600))
	}
	n.run(t, "git", "init", "-q", "-b", "main")
	n.run(t, "git", "commit", "-q", "--allow-empty", "-m", "first")
	n.run(t, "agit", "add", ".", "--name", "app")
	n.run(t, "agit", "setup", client, "--commit")
	n.run(t, "agit", "config", "set", "land", "gate")
	for i := range tasks {
		n.run(t, "agit", "tasks", "app", "--create", fmt.Sprintf("night %d", i+1), "--id", fmt.Sprintf("T-%d", i+1))
	}
	return n
}

// object is a value of JSON.
type object = map[string]any

// writes is a rule of a scenario by which a task writes and commits a file of its own.
func writes(task string) object {
	return object{"when": "## Task " + task + " ", "steps": []object{{"shell": "echo done > " + task + ".txt && git add -- " + task + ".txt && git commit -qm 'Write " + task + "'"}}}
}

// fails is a rule by which the first calls of a model fail, a number of times, or always for 0.
func fails(times, status int, message string, headers object) object {
	return object{"when": "", "times": times, "steps": []object{{"status": status, "message": message, "headers": headers}}}
}

// A nightCase is one situation of a client.
type nightCase struct {
	name  string
	rules []object
	tasks int
	flags []string
	// check returns the fault in the worker's end or in T-1; "" for none.
	check func(c nightEnd) string
}

// nightEnd is how a worker ended.
type nightEnd struct {
	code   int
	out    string // its output
	task   string // T-1 as JSON
	status string // of T-1
	asks   bool   // the client asks before it calls a tool
}

// lands is the check of a night in which some tasks land.
func lands(n int) func(nightEnd) string {
	return func(c nightEnd) string {
		if c.code != 0 || !strings.Contains(c.out, fmt.Sprintf(`"landed":%d`, n)) {
			return fmt.Sprintf("want %d landed", n)
		}
		return ""
	}
}

var nightCases = []nightCase{
	{name: "five tasks", rules: []object{writes("T-1"), writes("T-2"), writes("T-3"), writes("T-4"), writes("T-5")}, tasks: 5, check: lands(5)},
	{name: "401", rules: []object{fails(0, 401, "invalid x-api-key", nil)}, tasks: 1, check: func(c nightEnd) string {
		if c.code != 5 || !strings.Contains(c.out, "is not logged in") || c.status != "pending" {
			return "want a worker that ends for the login, and a task untouched"
		}
		return ""
	}},
	// With only one attempt allowed, a task that lands has paid for no limit.
	{name: "429", rules: []object{fails(4, 429, "You've hit your usage limit. Try again in 3 seconds.", object{"retry-after": "3"}), writes("T-1")}, tasks: 1, check: lands(1)},
	{name: "529", rules: []object{fails(4, 529, "Overloaded", nil), writes("T-1")}, tasks: 1, check: lands(1)},
	// No person is asked, so calls without an allowing rule are denied. Clients that never ask run them, and have then done nothing.
	{name: "denied tool", rules: []object{{"when": "", "steps": []object{{"shell": "curl -s http://127.0.0.1:1/"}}}}, tasks: 1, check: func(c nightEnd) string {
		switch {
		case c.asks && (c.status != "pending" || !strings.Contains(c.out, "curl")):
			return "want a task untouched, and the command that was denied"
		case !c.asks && (c.status != "failed" || !strings.Contains(c.task, "nothing")):
			return "want a task that failed since nothing was done"
		}
		return ""
	}},
	{name: "silence", rules: []object{{"when": "", "steps": []object{{"hang": true}}}}, tasks: 1, flags: []string{"--idle", "20s"}, check: func(c nightEnd) string {
		if c.code != 1 || c.status != "failed" || !strings.Contains(c.task, "silence") {
			return "want a task that failed by silence"
		}
		return ""
	}},
}

// TestRealNight installs clients and lets each work with the scripted model: five tasks land; a refused key, limits, an overloaded
// model, a denied tool and silence cost what docs/unattended.md lists; and the suite's tools stay within their bytes of a client's
// first request.
func TestRealNight(t *testing.T) {
	if os.Getenv("AGIT_CLIENTS") == "" {
		t.Skip("`make check-clients` installs clients from npm and lets them work")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not on PATH: clients cannot be installed here")
	}
	lab := newClientLab(t)
	page := nightPage{}
	for _, client := range []string{"claude", "codex", "opencode", "gemini"} {
		row := nightRow{client: client, met: map[string]string{}}
		t.Run(client, func(t *testing.T) {
			for _, c := range nightCases {
				t.Run(c.name, func(t *testing.T) { lab.meet(t, client, c, &row) })
			}
		})
		page = append(page, row)
	}
	page.keep(t)
}

// meet puts a client into one situation, and records the result in the row.
func (l clientLab) meet(t *testing.T, client string, c nightCase, row *nightRow) {
	address, log := l.model(t, c.rules...)
	n := l.night(t, client, address, c.tasks)
	n.run(t, "agit", "config", "set", "work.ask_for", "0")
	row.way = strings.TrimSpace(n.run(t, "agit", "doctor", "--json", "--jq", `.checks[] | select(.name == "client `+client+`") | .message`))
	args := append([]string{"work", "app", "--agent", "ann", "--client", client, "--until-empty", "--attempts", "1", "--limit", "5m", "--pause", "1s", "--json"}, c.flags...)
	cmd := n.start(t.Context(), nil, "agit", args...)
	out, _ := cmd.CombinedOutput()
	end := nightEnd{code: cmd.ProcessState.ExitCode(), out: string(out), task: n.run(t, "agit", "tasks", "show", "T-1", "--json"),
		status: strings.TrimSpace(n.run(t, "agit", "tasks", "show", "T-1", "--json", "--jq", ".status")), asks: !strings.Contains(row.way, "nothing is asked") && !strings.Contains(row.way, "asks nothing")}
	row.met[c.name] = "as it should"
	if wrong := c.check(end); wrong != "" {
		row.met[c.name] = "wrong"
		t.Errorf("%s: %s; it ends with %d\n%s\n%s\n%s", row.way, wrong, end.code, out, end.task, n.run(t, "agit", "logs", "ann"))
	}
	if c.tasks == 5 {
		row.tools, row.bytes = firstTools(t, log)
		t.Logf("%s; the first request holds %d tools of the suite, %d bytes", row.way, row.tools, row.bytes)
		if row.tools == 0 || row.bytes > firstRequest {
			t.Errorf("its first request holds %d tools of the suite, %d bytes", row.tools, row.bytes)
		}
	}
}
