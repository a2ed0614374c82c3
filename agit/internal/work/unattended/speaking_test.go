package unattended

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agit-suite/agit/agit/internal/run/permit"
	"github.com/agit-suite/agit/agit/internal/run/worker"
)

// clients are the programs that the tests' binary can be, by its first argument.
var clients = map[string]func(args []string){
	"speaks": func(args []string) {
		(&speaking{script: args[0], noted: args[1], forgets: args[2] == "forgets"}).run(os.Stdin)
	},
	"asks": asking,
}

// speaker is a client that speaks the Agent Client Protocol. Each prompt runs a line of shell, in which $1 is the number of the prompt and
// $SESSION the session. The lines that it prints are what the agent does: say TEXT, cost AMOUNT, ask COMMAND, wait for the end of the turn,
// fail TEXT, end without an answer. An answer to ask is the next line that it can read.
func (r *transcripts) speaker(script string) worker.Client {
	c := worker.PlainACP([]string{self(r.T), "speaks", script, filepath.Join(r.scratch, "read"), ""})
	c.Name = "speaker"
	return c
}

// self is the path of the tests' binary.
func self(t interface{ Fatal(...any) }) string {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// speaking is an agent of the protocol. It notes what it is sent.
type speaking struct {
	script, noted string
	forgets       bool // it has forgotten each session
	session       string
	prompts       int
	answers       chan string
	cancelled     chan bool
	printing      sync.Mutex
}

func (s *speaking) run(in io.Reader) {
	s.answers, s.cancelled = make(chan string, 1), make(chan bool, 1)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				SessionID string
				Prompt    []struct{ Text string }
			}
			Result struct {
				Outcome struct{ Outcome, OptionID string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			s.note("no message: %s", lines.Text())
		}
		switch m.Method {
		case "initialize":
			s.note("%s", lines.Text())
			s.print(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentInfo":{"name":"speaker","version":"7"},"agentCapabilities":{"loadSession":true}}}`, m.ID)
		case "session/new":
			s.note("%s", lines.Text())
			s.session = "new"
			s.print(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"new","models":{"currentModelId":"m-1"}}}`, m.ID)
		case "session/load":
			s.note("%s", lines.Text())
			if s.forgets {
				s.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no such session"}}`, m.ID)
				continue
			}
			s.session = m.Params.SessionID
			s.print(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		case "session/prompt":
			s.note("== prompt in session %s\n%s", m.Params.SessionID, m.Params.Prompt[0].Text)
			s.prompts++
			go s.turn(bytes.Clone(m.ID), s.prompts)
		case "session/cancel":
			s.cancelled <- true
		case "":
			answer := strings.TrimSpace(m.Result.Outcome.Outcome + " " + m.Result.Outcome.OptionID)
			s.note("== answer: %s", answer)
			s.answers <- answer
		}
	}
}

// turn does what a line of shell prints.
func (s *speaking) turn(id []byte, number int) {
	cmd := exec.Command("/bin/sh", "-c", s.script, "sh", fmt.Sprint(number))
	cmd.Env = append(os.Environ(), "SESSION="+s.session)
	cmd.Stderr = os.Stderr
	stdin, _ := cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		s.note("%v", err)
	}
	answer := `"result":{"stopReason":"end_turn","usage":{"inputTokens":10,"outputTokens":2}}`
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		quoted, _ := json.Marshal(rest)
		switch what {
		case "say":
			s.report(`"agent_message_chunk","content":{"type":"text","text":%s}`, quoted)
		case "cost":
			s.report(`"usage_update","cost":{"amount":%s,"currency":"USD"}`, rest)
		case "ask":
			s.print(`{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"%s","toolCall":{"toolCallId":"1","kind":"execute","rawInput":{"command":%s}},`+
				`"options":[{"optionId":"yes","kind":"allow_once","name":"Yes"},{"optionId":"no","kind":"reject_once","name":"No"}]}}`, s.session, quoted)
			fmt.Fprintln(stdin, <-s.answers)
		case "wait":
			<-s.cancelled
			answer = `"result":{"stopReason":"cancelled"}`
		case "fail":
			answer = `"error":{"code":-32603,"message":` + string(quoted) + `}`
		case "end":
			os.Exit(3)
		}
	}
	_ = cmd.Wait()
	s.print(`{"jsonrpc":"2.0","id":%s,%s}`, id, answer)
}

func (s *speaking) report(format string, args ...any) {
	s.print(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"`+s.session+`","update":{"sessionUpdate":`+format+`}}}`, args...)
}

func (s *speaking) print(format string, args ...any) {
	s.printing.Lock()
	defer s.printing.Unlock()
	fmt.Printf(format+"\n", args...)
}

func (s *speaking) note(format string, args ...any) { note(s.noted, format, args...) }

func note(file, format string, args ...any) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintf(f, format+"\n", args...)
		_ = f.Close()
	}
}

// asker is a client with the events of claude that may call the commands that are allowed, and then runs a line of shell.
func (r *transcripts) asker(script string, commands ...string) worker.Client {
	c := r.claude("claude", "")
	c.Asks = true
	c.Command = append([]string{self(r.T), "asks", "{mcp}", filepath.Join(r.scratch, "read"), script}, commands...)
	c.Words = len(c.Command)
	return c
}

// asking asks for permission through the server of its configuration.
func asking(args []string) {
	noted := args[1]
	var config struct {
		MCPServers map[string]struct {
			Args []string
			Env  map[string]string
		}
	}
	if err := json.Unmarshal([]byte(args[0]), &config); err != nil {
		note(noted, "%v", err)
	}
	server := config.MCPServers[permit.Server]
	note(noted, "server %s", strings.Join(server.Args, " "))
	in, to := io.Pipe()
	from, out := io.Pipe()
	go func() { _ = permit.Serve(context.Background(), in, out, server.Env[permit.Variable]) }()
	answers := bufio.NewScanner(from)
	for i, command := range args[3:] {
		line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": map[string]any{"name": permit.Tool,
			"arguments": map[string]any{"tool_name": "Bash", "input": map[string]any{"command": command}, "tool_use_id": "x"}}})
		fmt.Fprintf(to, "%s\n", line)
		answers.Scan()
		note(noted, "%s", answers.Text())
	}
	cmd := exec.Command("/bin/sh", "-c", args[2])
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		os.Exit(1)
	}
}
