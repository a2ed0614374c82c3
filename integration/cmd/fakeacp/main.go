// Command fakeacp is an agent without a model that speaks the Agent Client Protocol. Its role is the first word of its task's name
// ("good: add a page"), or ACP_ROLE. The protocol code is a library's, not ours. If AGIT_PLAYED is set, it is a folder for run counts
// by task and the received messages: acp.log. Test scripts run it.
//
// A role may have an argument after a slash: "asks/npm" asks for permission to run npm. A failing role fails once for each task and
// then acts as good, so that tests see whether the worker retried; with ACP_ALWAYS it fails each time.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

func main() {
	for _, arg := range os.Args[1:] {
		if arg == "--not" { // simulates a version without the protocol
			fmt.Println("usage: fakeacp PROMPT")
			os.Exit(2)
		}
	}
	a := &agent{}
	in, out := io.Pipe()
	a.out = &wire{to: os.Stdout}
	a.conn = acp.NewConnection(a.handle, a.out, in)
	a.conn.SetLogger(slog.New(slog.DiscardHandler))
	go func() { // input is recorded before it is read
		lines := bufio.NewReader(os.Stdin)
		for {
			line, err := lines.ReadBytes('\n')
			keep(line)
			_, _ = out.Write(line)
			if err != nil {
				out.Close()
				return
			}
		}
	}()
	<-a.conn.Done()
	a.turns.Wait()
}

// wire writes whole lines, its own and the connection's.
type wire struct {
	mu sync.Mutex
	to io.Writer
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

func keep(line []byte) {
	folder := os.Getenv("AGIT_PLAYED")
	if folder == "" || len(line) == 0 {
		return
	}
	f, err := os.OpenFile(filepath.Join(folder, "acp.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, _ = f.Write(line)
		f.Close()
	}
}

type agent struct {
	conn  *acp.Connection
	out   *wire
	dir   string
	turns sync.WaitGroup

	mu     sync.Mutex
	cancel context.CancelFunc
}

func (a *agent) handle(ctx context.Context, method string, params json.RawMessage) (any, *acp.RequestError) {
	var p struct {
		Cwd       string `json:"cwd"`
		SessionID string `json:"sessionId"`
		Prompt    []struct{ Text string }
	}
	_ = json.Unmarshal(params, &p)
	switch method {
	case acp.AgentMethodInitialize:
		return map[string]any{"protocolVersion": 1, "agentInfo": map[string]any{"name": "fakeacp", "version": "1"}, "authMethods": []any{map[string]any{"id": "x", "name": "X", "type": "new"}},
			"agentCapabilities": map[string]any{"loadSession": true, "sessionCapabilities": map[string]any{"resume": map[string]any{}}, "unheardOf": 7}}, nil
	case acp.AgentMethodSessionNew:
		if os.Getenv("ACP_ROLE") == "login" {
			return nil, &acp.RequestError{Code: -32000, Message: "Authentication required"}
		}
		a.dir = p.Cwd
		return map[string]any{"sessionId": "ses-" + os.Getenv("AGIT_RUN"), "models": map[string]any{"currentModelId": "script-1", "availableModels": []any{}},
			"modes": map[string]any{"currentModeId": "ask", "availableModes": []any{map[string]any{"id": "ask", "name": "Ask"}}}}, nil
	case acp.AgentMethodSessionResume, acp.AgentMethodSessionLoad:
		a.dir = p.Cwd
		a.say(p.SessionID, "an old message")
		return map[string]any{}, nil
	case acp.AgentMethodSessionCancel:
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.cancel != nil {
			a.cancel()
		}
		return nil, nil
	case acp.AgentMethodSessionPrompt:
		a.turns.Add(1)
		defer a.turns.Done()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		a.mu.Lock()
		a.cancel = cancel
		a.mu.Unlock()
		brief := ""
		for _, b := range p.Prompt {
			brief += b.Text
		}
		stop, err := a.play(ctx, p.SessionID, brief)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			stop = "cancelled"
		}
		return map[string]any{"stopReason": stop, "usage": map[string]any{"inputTokens": 1200, "outputTokens": 340, "cachedReadTokens": 5000, "totalTokens": 6540}}, nil
	}
	return nil, acp.NewMethodNotFound(method)
}

// update reports something of a session.
func (a *agent) update(session string, update map[string]any) {
	_ = a.conn.SendNotification(context.Background(), acp.ClientMethodSessionUpdate, map[string]any{"sessionId": session, "update": update})
}

func (a *agent) say(session, text string) {
	a.update(session, map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": text}})
}

// tool reports a tool call, and asks for permission if the role does. It returns whether the tool may run.
func (a *agent) tool(ctx context.Context, session, kind, title string, input map[string]any, ask bool) bool {
	call := map[string]any{"toolCallId": "call-" + title, "title": title, "kind": kind, "status": "pending", "rawInput": input}
	if ask {
		options := []any{}
		for _, k := range []string{"allow_always", "allow_once", "reject_once"} {
			options = append(options, map[string]any{"optionId": "option " + k, "kind": k, "name": k})
		}
		got, err := acp.SendRequest[struct {
			Outcome struct{ Outcome, OptionID string }
		}](a.conn, ctx, acp.ClientMethodSessionRequestPermission, map[string]any{"sessionId": session, "toolCall": call, "options": options})
		if err != nil || got.Outcome.Outcome != "selected" || !strings.Contains(got.Outcome.OptionID, "allow") {
			return false
		}
	}
	call["sessionUpdate"] = "tool_call"
	a.update(session, call)
	return true
}

// ended reports how the call of a tool ended.
func (a *agent) ended(session, title string, failed error) {
	u := map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": "call-" + title, "status": "completed"}
	if failed != nil {
		u["status"] = "failed"
		u["content"] = []any{map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": failed.Error()}}}
	}
	a.update(session, u)
}

// commit writes a file and commits it, asking as clients do.
func (a *agent) commit(ctx context.Context, session, file, text string) {
	if !a.tool(ctx, session, "edit", "Write "+file, map[string]any{"file_path": filepath.Join(a.dir, file), "content": text}, true) {
		return
	}
	a.ended(session, "Write "+file, os.WriteFile(filepath.Join(a.dir, file), []byte(text+"\n"), 0o644))
	a.shell(ctx, session, fmt.Sprintf("git add -- %s && git commit -q -m 'Write %s'", file, file))
}

func (a *agent) shell(ctx context.Context, session, command string) bool {
	if !a.tool(ctx, session, "execute", "`"+command+"`", map[string]any{"command": command}, true) {
		return false
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = a.dir
	err := cmd.Run()
	a.ended(session, "`"+command+"`", err)
	return err == nil
}

// played counts the runs of a role for the task, including this one.
func played(role string) int {
	folder := os.Getenv("AGIT_PLAYED")
	if folder == "" {
		return 1
	}
	name := filepath.Join(folder, os.Getenv("AGIT_TASK"))
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 1
	}
	_, _ = f.WriteString(role + "\n")
	f.Close()
	all, _ := os.ReadFile(name)
	return strings.Count(string(all), "\n")
}

func (a *agent) play(ctx context.Context, session, brief string) (stop string, failed *acp.RequestError) {
	role := os.Getenv("ACP_ROLE")
	if role == "" {
		_, rest, _ := strings.Cut(brief, "## Task ")
		_, rest, _ = strings.Cut(rest, "\n")
		role, _, _ = strings.Cut(strings.TrimPrefix(rest, "> "), ":")
	}
	if !strings.Contains(brief, "## Task ") { // a person's message
		said, _, _ := strings.Cut(brief, "\n")
		a.commit(ctx, session, os.Getenv("AGIT_TASK")+"-told.txt", said)
		return "end_turn", nil
	}
	role, word, _ := strings.Cut(role, "/")
	run := played(role)
	if run > 1 && os.Getenv("ACP_ALWAYS") == "" && role != "red" {
		role = "good"
	}
	task := os.Getenv("AGIT_TASK")
	fail := func(message string, data map[string]any) (string, *acp.RequestError) {
		return "", &acp.RequestError{Code: -32603, Message: message, Data: data}
	}
	switch role {
	case "good":
		a.say(session, "I look ")
		a.say(session, "around.")
		a.update(session, map[string]any{"sessionUpdate": "of_tomorrow", "content": []any{1}})
		a.update(session, map[string]any{"sessionUpdate": "tool_call", "toolCallId": 7, "title": []any{}, "kind": "of_tomorrow"})
		a.commit(ctx, session, task+".txt", "good")
		a.update(session, map[string]any{"sessionUpdate": "usage_update", "used": 10, "size": 100, "cost": map[string]any{"amount": 0.25, "currency": "USD"}})
		a.say(session, "It is done: the file is there.")
	case "keeps": // client files that the client's folder ignores
		_ = os.MkdirAll(filepath.Join(a.dir, ".opencode"), 0o755)
		for name, content := range map[string]string{".gitignore": "node_modules\npackage.json\npackage-lock.json\n.gitignore\n", "package.json": "{}\n", "package-lock.json": "{}\n"} {
			_ = os.WriteFile(filepath.Join(a.dir, ".opencode", name), []byte(content), 0o644)
		}
		a.commit(ctx, session, task+".txt", "good")
	case "flood": // reports faster than they are read
		for i := range 20000 {
			a.say(session, fmt.Sprint(i, " "))
		}
		a.commit(ctx, session, task+".txt", "good")
	case "asks": // for a command that no rule covers
		if a.shell(ctx, session, strings.Join(append([]string{orElse(word, "odd")}, "now"), " ")) || os.Getenv("ACP_ALWAYS") == "" {
			a.say(session, "I go on.")
		}
		a.commit(ctx, session, task+".txt", "asked")
	case "needs": // and does nothing without it
		if a.tool(ctx, session, "execute", orElse(word, "odd")+" now", map[string]any{"command": orElse(word, "odd") + " now"}, true) {
			a.commit(ctx, session, task+".txt", "allowed")
		} else {
			a.say(session, "I was not allowed to.")
		}
	case "cheats": // tries to answer its own question in every way that hides its identity
		over := make(chan struct{})
		go func() {
			defer close(over)
			script := `for i in 1 2 3 4 5 6 7 8 9; do id=$(agit answer --json --jq '.questions[0].id // ""'); [ -n "$id" ] && break; sleep 0.2; done
agit answer $id --allow; echo $? >>$AGIT_PLAYED/cheats
env -u AGIT_AGENT agit answer $id --allow; echo $? >>$AGIT_PLAYED/cheats
env -u AGIT_AGENT -u AGIT_RUN agit answer $id --always; echo $? >>$AGIT_PLAYED/cheats
(env -u AGIT_AGENT -u AGIT_RUN setsid sh -c "sleep 0.3; agit answer $id --allow; echo \$? >>$AGIT_PLAYED/cheats; touch $AGIT_PLAYED/cheated" </dev/null >/dev/null 2>&1 &)`
			cmd := exec.Command("sh", "-c", script)
			cmd.Dir = a.dir
			_ = cmd.Run()
		}()
		if a.shell(ctx, session, "odd now") {
			touch("allowed")
		}
		<-over
		a.commit(ctx, session, task+".txt", "asked")
	case "pushes":
		a.shell(ctx, session, "git push origin HEAD")
		a.commit(ctx, session, task+".txt", "not pushed")
	case "limit":
		at := time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339)
		if word != "" {
			at = word
		}
		return fail("You've hit your usage limit", map[string]any{"details": "resets at " + at})
	case "rate":
		return fail("Repeated 529 Overloaded", map[string]any{"errorKind": "server_error"})
	case "login":
		return fail("invalid x-api-key", map[string]any{"errorName": "APIError"})
	case "network":
		return fail("fetch failed: ECONNREFUSED", nil)
	case "refuses":
		return "refusal", nil
	case "tokens":
		return "max_tokens", nil
	case "turns":
		return "max_turn_requests", nil
	case "tomorrow":
		return "of_tomorrow", nil
	case "silent":
		<-ctx.Done()
	case "stubborn": // does not end its turn
		touch("up")
		select {}
	case "waits":
		a.say(session, "I wait.")
		touch("up")
		<-ctx.Done()
	case "until": // waits for the file "go"
		a.say(session, "I begin.")
		touch("up")
		for ctx.Err() == nil && !there("go") {
			<-time.After(20 * time.Millisecond)
		}
		a.commit(ctx, session, task+".txt", "good")
	case "half": // is interrupted in its first run
		a.commit(ctx, session, task+"-half.txt", "half")
		touch("up")
		<-ctx.Done()
	case "costs": // some dollars, and goes on
		a.commit(ctx, session, task+"-half.txt", "half")
		amount, _ := strconv.ParseFloat(word, 64)
		a.update(session, map[string]any{"sessionUpdate": "usage_update", "used": 10, "size": 100, "cost": map[string]any{"amount": amount, "currency": "USD"}})
		touch("up")
		<-ctx.Done()
	case "crash":
		fmt.Fprintln(os.Stderr, "panic: it broke")
		os.Exit(3)
	case "garbage":
		_, _ = a.out.Write([]byte("{ this is\nno message\n"))
		a.commit(ctx, session, task+".txt", "good")
	case "nothing":
		a.say(session, "I had nothing to do.")
	case "red":
		if strings.Contains(brief, "could not land") {
			a.shell(ctx, session, "git rm -q -f red.txt && git commit -q -m Mend")
		} else {
			a.commit(ctx, session, "red.txt", "red")
		}
	default:
		return fail("there is no role "+role, nil)
	}
	return "end_turn", nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func there(name string) bool {
	_, err := os.Stat(filepath.Join(os.Getenv("AGIT_PLAYED"), name))
	return err == nil
}

func touch(name string) {
	if folder := os.Getenv("AGIT_PLAYED"); folder != "" {
		_ = os.WriteFile(filepath.Join(folder, name), nil, 0o644)
	}
}
