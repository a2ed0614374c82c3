package integration

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// fakeAgent is a running client of an agent.
type fakeAgent struct {
	cmd     *exec.Cmd
	calls   io.WriteCloser
	answers *bufio.Reader
}

type agentsKey struct{}

// agentCommand is what agents do in scripts, each by an MCP client in a process
// of its own:
//
//	agent NAME start              a client in the current folder
//	agent NAME SERVER TOOL K=V…   a call; what it returns is in $WORK/NAME.json. With ! it must fail
//	agent NAME end                the client ends, and its servers with it
//	agent NAME dies               the client is killed
//
// A value that begins as JSON does is JSON, any other a text.
func agentCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: agent NAME start|end|dies|SERVER TOOL [NAME=VALUE…]")
	}
	all := ts.Value(agentsKey{}).(map[string]*fakeAgent)
	a := all[args[0]]
	switch {
	case args[1] == "start":
		all[args[0]] = startAgent(ts, args[0])
	case a == nil:
		ts.Fatalf("agent %s was not started", args[0])
	case args[1] == "end":
		ts.Check(a.calls.Close())
		ts.Check(a.cmd.Wait())
		delete(all, args[0])
	case args[1] == "dies":
		ts.Check(a.cmd.Process.Kill())
		_ = a.cmd.Wait() // the servers see the end of their input
		delete(all, args[0])
	case len(args) < 3:
		ts.Fatalf("which tool of %s?", args[1])
	default:
		failed, said := a.call(ts, args[1], args[2], args[3:])
		if failed != neg {
			ts.Fatalf("%s: %s", args[2], said)
		}
		ts.Logf("%s", said)
		ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), args[0]+".json"), said, 0o644))
	}
}

func startAgent(ts *testscript.TestScript, name string) *fakeAgent {
	cmd := exec.Command(filepath.Join(binaries, "fakeagent"))
	cmd.Dir = ts.MkAbs(".")
	for _, variable := range []string{"PATH", "HOME", "WORK", "TMPDIR"} {
		cmd.Env = append(cmd.Env, variable+"="+ts.Getenv(variable))
	}
	for variable, value := range gitIdentity(ts.Getenv("HOME")) {
		cmd.Env = append(cmd.Env, variable+"="+value)
	}
	for variable, value := range (*ts.Value(trackerKey{}).(**fakeTracker)).variables() {
		cmd.Env = append(cmd.Env, variable+"="+value)
	}
	calls, err := cmd.StdinPipe()
	ts.Check(err)
	answers, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	a := &fakeAgent{cmd: cmd, calls: calls, answers: bufio.NewReader(answers)}
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return a
}

// call makes one call and returns its result.
func (a *fakeAgent) call(ts *testscript.TestScript, server, tool string, given []string) (failed bool, said json.RawMessage) {
	arguments := map[string]any{}
	for _, arg := range given {
		name, text, ok := strings.Cut(arg, "=")
		if !ok {
			ts.Fatalf("%q is not NAME=VALUE", arg)
		}
		var value any = text
		if strings.ContainsAny(text[:min(1, len(text))], `[{"0123456789`) || text == "true" || text == "false" {
			if json.Unmarshal([]byte(text), &value) != nil {
				value = text
			}
		}
		arguments[name] = value
	}
	ts.Check(json.NewEncoder(a.calls).Encode(map[string]any{"server": server, "tool": tool, "arguments": arguments}))
	line, err := a.answers.ReadBytes('\n')
	ts.Check(err)
	var answer struct{ Result, Fault json.RawMessage }
	ts.Check(json.Unmarshal(line, &answer))
	if answer.Fault != nil {
		return true, answer.Fault
	}
	return false, answer.Result
}

// variables point pmsync at the tracker, if there is one.
func (f *fakeTracker) variables() map[string]string {
	if f == nil {
		return nil
	}
	return f.env
}
