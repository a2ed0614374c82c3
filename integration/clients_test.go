package integration

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// clientPackages are the current npm packages of clients.
var clientPackages = []string{"@anthropic-ai/claude-code", "@openai/codex", "opencode-ai", "@google/gemini-cli"}

// A clientLab is a project after setup, with clients that read it, in a HOME of its own. No server answers at their model addresses.
type clientLab struct {
	home, project string
	env           []string
}

// TestRealClients installs clients and checks, without a model, that they read setup's files and run its hooks.
func TestRealClients(t *testing.T) {
	t.Parallel()
	if os.Getenv("AGIT_CLIENTS") == "" {
		t.Skip("`make check-clients` installs clients from npm and asks them")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not on PATH: clients cannot be installed here", program)
		}
	}
	lab := newClientLab(t)
	out := lab.run(t, "agit", "setup", "claude-code", "codex", "opencode", "gemini", "--json", "--jq", ".current")
	if !strings.HasPrefix(out, "true\n") {
		t.Fatalf("setup says %s", out)
	}
	t.Run("Claude Code", lab.claude)
	t.Run("Claude Code's plugin", lab.claudePlugin)
	t.Run("Codex", lab.codex)
	t.Run("opencode", lab.opencode)
	t.Run("Gemini CLI", lab.gemini)
	lab.run(t, "agit", "setup", "--remove")
	if left := lab.run(t, "git", "status", "--porcelain", "--untracked-files=all"); left != "" {
		t.Errorf("left over: %s", left)
	}
}

// claudePlugin checks that Claude Code accepts this repository as a marketplace, and installs its plugin, which setup then detects.
func (l clientLab) claudePlugin(t *testing.T) {
	root, err := filepath.Abs("..")
	must(t, err)
	for _, at := range []string{root, filepath.Join(root, "plugins", "claude-code")} {
		if out := l.run(t, "claude", "plugin", "validate", at); !strings.Contains(out, "Validation passed") {
			t.Errorf("%s: %s", at, out)
		}
	}
	l.run(t, "claude", "plugin", "marketplace", "add", root)
	l.run(t, "claude", "plugin", "install", "agit@agit-suite")
	if out := l.run(t, "agit", "doctor"); !strings.Contains(out, "is doubled") {
		t.Errorf("doctor does not see the plugin beside the set-up: %s", out)
	}
	l.run(t, "claude", "plugin", "uninstall", "agit@agit-suite")
}

func newClientLab(t *testing.T) clientLab {
	t.Helper()
	root := ownFolder(t)
	lab := clientLab{home: filepath.Join(root, "home"), project: filepath.Join(root, "app")}
	must(t, os.MkdirAll(lab.home, 0o755))
	must(t, os.MkdirAll(lab.project, 0o755))
	at := os.Getenv("AGIT_CLIENTS")
	if !filepath.IsAbs(at) { // a folder has them installed already
		at = root
		install := exec.Command("npm", append([]string{"install", "--prefix", at, "--no-audit", "--no-fund"}, clientPackages...)...)
		if out, err := install.CombinedOutput(); err != nil {
			t.Skipf("npm could not install the clients: %v\n%s", err, out)
		}
	}
	lab.env = environment(lab.home)
	for i, variable := range lab.env {
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			lab.env[i] = "PATH=" + filepath.Join(at, "node_modules", ".bin") + string(os.PathListSeparator) + path
		}
	}
	lab.run(t, "git", "init", "-q")
	lab.run(t, "git", "commit", "-q", "--allow-empty", "-m", "first")
	return lab
}

const clientTime = 2 * time.Minute

// start runs a program in the project with further variables.
func (l clientLab) start(ctx context.Context, variables []string, name string, args ...string) *exec.Cmd {
	path := name
	for _, variable := range l.env {
		if folders, ok := strings.CutPrefix(variable, "PATH="); ok {
			for _, folder := range filepath.SplitList(folders) {
				if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
					path = filepath.Join(folder, name)
					break
				}
			}
		}
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = l.project, append(slices.Clone(l.env), variables...), time.Second
	return cmd
}

func (l clientLab) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	out, err := l.start(ctx, nil, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// session waits until the memoryd session of a client has one of the statuses.
func (l clientLab) session(t *testing.T, client string, statuses ...string) {
	t.Helper()
	deadline := time.Now().Add(clientTime)
	for {
		last := l.run(t, "memoryd", "session", "list", "--json", "--jq", `[.sessions[] | select(.agent | startswith("`+client+`-")) | .status] | join(" ")`)
		if slices.Contains(statuses, strings.TrimSpace(last)) {
			t.Logf("its hook made a session, which is %s", strings.TrimSpace(last))
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s has the sessions %q, want one that is %s", client, last, strings.Join(statuses, " or "))
		}
		<-time.After(100 * time.Millisecond)
	}
}

var serverNames = []string{"agit", "pmsync", "memoryd", "citecheck", "classify"}

func (l clientLab) claude(t *testing.T) {
	t.Log(l.run(t, "claude", "--version"))
	list := l.run(t, "claude", "mcp", "list")
	t.Log(list)
	for _, name := range serverNames {
		if !strings.Contains(list, name+": "+name+" serve") {
			t.Errorf("it does not list %s", name)
		}
	}
	log := filepath.Join(l.home, "claude.log")
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	ask := l.start(ctx, []string{"ANTHROPIC_API_KEY=none", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", "CLAUDE_CODE_MAX_RETRIES=0"}, "claude", "-p", "hi", "--debug-file", log)
	_, _ = ask.CombinedOutput() // there is no model
	said, err := os.ReadFile(log)
	must(t, err)
	for _, want := range []string{`Loaded [0-9]+ unique skills`, `Hook SessionStart \(memoryd hook session-start --client claude-code\) provided additionalContext`} {
		if !regexp.MustCompile(want).Match(said) {
			t.Errorf("its log does not say %q", want)
		}
	}
	l.session(t, "claude", "completed")
}

func (l clientLab) codex(t *testing.T) {
	t.Log(l.run(t, "codex", "--version"))
	must(t, os.MkdirAll(filepath.Join(l.home, ".codex"), 0o755))
	trust := fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", l.project)
	must(t, os.WriteFile(filepath.Join(l.home, ".codex", "config.toml"), []byte(trust), 0o600))
	list := l.run(t, "codex", "mcp", "list")
	t.Log(list)
	for _, name := range serverNames {
		if !regexp.MustCompile(`(?m)^` + name + `\s+` + name + `\s+serve\s`).MatchString(list) {
			t.Errorf("it does not list %s", name)
		}
	}
	answers := l.codexAnswers(t, "hooks/list", "skills/list")
	for _, want := range []string{`"command":"memoryd hook session-start --client codex"`, `"command":"memoryd hook session-end --client codex"`, `"command":"memoryd hook tool --client codex"`, `"command":"agit check --hook"`, `"warnings":[]`, `"errors":[]`} {
		if !strings.Contains(answers[0], want) {
			t.Errorf("its hooks do not hold %s: %s", want, answers[0])
		}
	}
	for _, name := range []string{"agile-spec-to-build", "structured-review", "memory-citations", "reflect"} {
		if !strings.Contains(answers[1], `"name":"`+name+`"`) {
			t.Errorf("it does not know the skill %s", name)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	ask := l.start(ctx, []string{"OPENAI_API_KEY=none"}, "codex", "exec", "--dangerously-bypass-hook-trust", "-c", "model_provider=none",
		"-c", `model_providers.none={name="none",base_url="http://127.0.0.1:1/v1",request_max_retries=0,stream_max_retries=0}`, "-m", "none", "hi")
	var said bytes.Buffer
	ask.Stdout, ask.Stderr = &said, &said
	must(t, ask.Start())
	l.session(t, "codex", "active", "completed") // it keeps trying to reach its model
	must(t, ask.Process.Kill())
	_ = ask.Wait()
	if strings.Contains(said.String(), "malformed") {
		t.Errorf("it does not take the agent definitions: %s", &said)
	}
}

// codexAnswers asks Codex's own server.
func (l clientLab) codexAnswers(t *testing.T, methods ...string) (answers []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	server := l.start(ctx, nil, "codex", "app-server")
	in, err := server.StdinPipe()
	must(t, err)
	out, err := server.StdoutPipe()
	must(t, err)
	must(t, server.Start())
	defer func() { _ = in.Close(); _ = server.Wait() }()
	lines := bufio.NewReader(out)
	ask := func(id int, method string, params any) string {
		request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		must(t, err)
		_, err = in.Write(append(request, '\n'))
		must(t, err)
		for {
			line, err := lines.ReadBytes('\n')
			must(t, err)
			var answer struct {
				ID     int             `json:"id"`
				Result json.RawMessage `json:"result"`
			}
			if json.Unmarshal(line, &answer) == nil && answer.ID == id && answer.Result != nil {
				return string(answer.Result)
			}
		}
	}
	ask(1, "initialize", map[string]any{"clientInfo": map[string]string{"name": "agit", "version": "1"}, "capabilities": map[string]bool{"experimentalApi": true}})
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"initialized"}`+"\n")
	must(t, err)
	for i, method := range methods {
		answers = append(answers, ask(i+2, method, map[string][]string{"cwds": {l.project}}))
	}
	return answers
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

func (l clientLab) opencode(t *testing.T) {
	t.Log(l.run(t, "opencode", "--version"))
	list := ansi.ReplaceAllString(l.run(t, "opencode", "mcp", "list"), "")
	t.Log(list)
	for _, name := range serverNames {
		if !strings.Contains(list, "✓ "+name+" connected") {
			t.Errorf("it is not connected to %s", name)
		}
	}
	skills := l.run(t, "opencode", "debug", "skill")
	for _, name := range []string{"agile-spec-to-build", "structured-review", "memory-citations", "reflect"} {
		if !strings.Contains(skills, `"name": "`+name+`"`) {
			t.Errorf("it does not know the skill %s", name)
		}
	}
	agents := l.run(t, "opencode", "agent", "list")
	for _, name := range []string{"spec-agent", "brainstorm", "architect-plan", "engineer-build"} {
		if !strings.Contains(agents, name+" (all)") {
			t.Errorf("it does not know the agent %s", name)
		}
	}
	l.opencodeSession(t)
}

// opencodeSession makes and deletes a session of opencode, which its plugin tells
// memoryd.
func (l clientLab) opencodeSession(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	server := l.start(ctx, nil, "opencode", "serve", "--port", "0")
	out, err := server.StdoutPipe()
	must(t, err)
	must(t, server.Start())
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	listening := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	lines := bufio.NewScanner(out)
	address := ""
	for address == "" && lines.Scan() {
		address = listening.FindString(lines.Text())
	}
	if address == "" {
		t.Fatal("its server does not say where it listens")
	}
	call := func(method, path string) []byte {
		request, err := http.NewRequestWithContext(ctx, method, address+path, bytes.NewBufferString("{}"))
		must(t, err)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		must(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		must(t, err)
		if response.StatusCode >= 300 {
			t.Fatalf("%s %s: %s: %s", method, path, response.Status, body)
		}
		return body
	}
	var session struct {
		ID string `json:"id"`
	}
	must(t, json.Unmarshal(call(http.MethodPost, "/session"), &session))
	l.session(t, "opencode", "active")
	call(http.MethodDelete, "/session/"+session.ID)
	l.session(t, "opencode", "completed")
}

func (l clientLab) gemini(t *testing.T) {
	t.Log(l.run(t, "gemini", "--version"))
	must(t, os.MkdirAll(filepath.Join(l.home, ".gemini"), 0o755))
	trust, err := json.Marshal(map[string]string{l.project: "TRUST_FOLDER"})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(l.home, ".gemini", "trustedFolders.json"), trust, 0o600))
	must(t, os.WriteFile(filepath.Join(l.home, ".gemini", "settings.json"), []byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`), 0o600))
	list := ansi.ReplaceAllString(l.run(t, "gemini", "mcp", "list"), "")
	t.Log(list)
	for _, name := range serverNames {
		if !strings.Contains(list, "✓ "+name+": "+name+" serve --tools core (stdio) - Connected") {
			t.Errorf("it is not connected to %s", name)
		}
	}
	skills := l.run(t, "gemini", "skills", "list")
	for _, name := range []string{"agile-spec-to-build", "structured-review", "memory-citations", "reflect"} {
		if !strings.Contains(skills, name+" [Enabled]") {
			t.Errorf("it does not know the skill %s", name)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	ask := l.start(ctx, []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1"}, "gemini", "-p", "hi")
	must(t, ask.Start())
	l.session(t, "gemini", "active", "completed") // it keeps trying to reach its model
	must(t, ask.Process.Kill())
	_ = ask.Wait()
}
