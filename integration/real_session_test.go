//go:build unix

package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// sessions are the command lines with which a person lets a client do one thing and exit.
var sessions = []struct {
	client  string // as setup knows it
	command []string
	hooks   bool // its hooks run without being trusted first
}{
	{"claude-code", []string{"claude", "-p", "begin now", "--allowedTools", "mcp__agit,Bash"}, true},
	{"codex", []string{"codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "begin now"}, false},
	{"opencode", []string{"opencode", "run", "begin now"}, true},
	{"gemini", []string{"gemini", "--yolo", "-p", "begin now"}, true},
}

// TestRealSession lets a person's session of each client begin a task over MCP, twice. Hooks and servers of a session are one agent
// with a distinguishable name; it is gone when its session has ended; and where hooks run, the session's use is booked on that agent.
func TestRealSession(t *testing.T) {
	if os.Getenv("AGIT_CLIENTS") == "" {
		t.Skip("`make check-clients` installs clients from npm and lets them work")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not on PATH: clients cannot be installed here")
	}
	lab := newClientLab(t)
	for _, s := range sessions {
		t.Run(s.client, func(t *testing.T) {
			address, _ := lab.model(t, object{"when": "begin now", "steps": []object{{"tool": "agit_begin", "input": object{"repo": "app"}}, {"shell": "agit status"}}})
			n := lab.night(t, s.client, address, 2)
			for i := range 2 {
				ctx, cancel := context.WithTimeout(t.Context(), clientTime)
				out, err := n.start(ctx, []string{"IS_SANDBOX=1"}, s.command[0], s.command[1:]...).CombinedOutput()
				cancel()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				name := strings.TrimSuffix(s.client, "-code")
				var agents struct {
					Agents []struct {
						Name  string
						State struct{ State string }
					}
				}
				must(t, json.Unmarshal([]byte(n.run(t, "agit", "agents", "--json")), &agents))
				if len(agents.Agents) != i+1 {
					t.Errorf("after %d sessions there are the agents %+v\n%s", i+1, agents, out)
				}
				for k, a := range agents.Agents {
					if a.Name != fmt.Sprintf("%s-%d", name, k+1) || a.State.State != "gone" {
						t.Errorf("after %d sessions %s is %s", i+1, a.Name, a.State.State)
					}
				}
			}
			if took := n.run(t, "agit", "usage", "--by", "agent", "--json", "--jq", `[.rows[].key] | join(" ")`); s.hooks && strings.TrimSpace(took) != strings.TrimSuffix(s.client, "-code")+"-1 "+strings.TrimSuffix(s.client, "-code")+"-2" {
				t.Errorf("what the sessions took is that of %q", took)
			}
		})
	}
}
