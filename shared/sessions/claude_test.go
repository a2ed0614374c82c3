package sessions_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// TestClaudeRows has one line of a transcript each, without its time, and the rows that it means.
func TestClaudeRows(t *testing.T) {
	t.Parallel()
	const unknown = "unknown"
	for line, want := range map[string]string{
		`"type":"user","sessionId":"s","cwd":"/x","gitBranch":"main","message":{"content":" Why\u003f\n"}`:                                                   `prompt s /x main "Why?"`,
		`"message":{"content":[{"type":"text","text":"Because."}],"id":"m","model":"opus"},"type":"assistant"`:                                               `answer a   opus "Because."`,
		`"type":"assistant","isSidechain":true,"message":{"content":"Aside"}`:                                                                                `answer! a   "Aside"`,
		`"type":"assistant","agentId":"1","message":{"content":"Below"}`:                                                                                     `answer! a   "Below"`,
		`"type":"user","isMeta":true,"message":{"content":"By the client"}`:                                                                                  ``,
		`"type":"assistant","isApiErrorMessage":true,"message":{"content":"Overloaded"}`:                                                                     ``,
		`"type":"user","isCompactSummary":true,"message":{"content":"So far"}`:                                                                               `summary a   "So far"`,
		`"type":"system","message":{"content":"Note"}`:                                                                                                       ``,
		`"type":"user","message":{"content":[]}`:                                                                                                             ``,
		`"type":"user","message":{"content":{"type":"text","text":"An object"}}`:                                                                             ``,
		`"type":"user","message":{}`:                                                                                                                         ``,
		`"type":"user","message":null`:                                                                                                                       ``,
		`"type":"user"`:                                                                                                                                      ``,
		`"message":{"content":"No type"}`:                                                                                                                    unknown,
		`"type":"user","message":"A text"`:                                                                                                                   unknown,
		`"type":"user","message":{"content":"Torn"`:                                                                                                          unknown,
		`"type":"user","cwd":7,"message":{"content":"A number"}`:                                                                                             unknown,
		`"type":"user","cwd":null,"message":{"content":"None"}`:                                                                                              `prompt a   "None"`,
		`"type":"user","cwd":"/x","cwd":"/y","message":{"content":"Twice"}`:                                                                                  `prompt a /y  "Twice"`,
		`"type":"assistant","message":{"id":7,"content":"A number"}`:                                                                                         unknown,
		`"type":"assistant","message":{"content":[7,null,{"type":"text","text":1},{"type":"text"},{"type":"text","text":"b"}]}`:                              `answer a   "b"`,
		`"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"Bash","input":{"command":"ls"}}]}`:                                     `command a   "ls"`,
		`"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"Bash","input":"ls"}]}`:                                                 ``,
		`"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"Other","input":{"command":["ls"]}}]}`:                                  ``,
		`"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"Edit","input":{"file_path":"/a"}}]}`:                                   `edit a   /a ""`,
		`"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"Read","input":{"file_path":"/a"}}]}`:                                   ``,
		`"type":"assistant","message":{"content":[{"type":"tool_use","id":"c","name":"NotebookEdit","input":{"notebook_path":"/n"}}]}`:                       `edit a   /n ""`,
		`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":"no","is_error":true}]}`:                                      `other a   failed "no"`,
		`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c","is_error":true,"content":[{"type":"text","text":"n"},{"text":"o"}]}]}`: `other a   failed "no"`,
		`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":"yes"}]}`:                                                     `other a   ""`,
		`"type":"assistant","requestId":"q","costUSD":0.5,"message":{"id":"m","model":"opus","usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":30,"speed":"fast","cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20}}}`: `other a   opus-fast 1+2+3+10+20 $0.5 ""`,
		`"type":"assistant","message":{"id":"m","usage":{"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":10}}}`:                                                                                                                                                           `other a   0+0+0+30+0 $0 ""`,
		`"type":"assistant","message":{"id":"m","usage":{"input_tokens":4,"cache_creation":null}}`:                                                                                                                                                                                                       `other a   4+0+0+0+0 $0 ""`,
		`"type":"assistant","message":{"model":"<synthetic>","usage":{"input_tokens":4}}`:                                                                                                                                                                                                                ``,
		`"type":"assistant","message":{"usage":null}`:                 ``,
		`"type":"assistant","message":{"usage":{"input_tokens":1.5}}`: unknown,
		`"type":"assistant","message":{"usage":[]}`:                   unknown,
		`"type":"user","message":{"usage":{"input_tokens":4}}`:        ``,
	} {
		line = `{"timestamp":"2026-11-20T10:00:00Z",` + line + "}\n"
		got := claudeRows(t, line, false)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
		if !strings.Contains(line, `"usage"`) {
			continue
		}
		if diff := cmp.Diff(want, claudeRows(t, line, true)); diff != "" {
			t.Errorf("usage of %s: %s", line, diff)
		}
	}
	for _, absurd := range []string{`"input_tokens":-1`, `"output_tokens":10000000001`, `"cache_read_input_tokens":9223372036854775807`} {
		line := `{"type":"assistant","timestamp":"2026-11-20T10:00:00Z","message":{"content":[],"usage":{` + absurd + `}}}` + "\n"
		if got := claudeRows(t, line, true); got != unknown {
			t.Errorf("%s: %s", line, got)
		}
	}
	for _, line := range []string{`{"type":"user","message":{"content":"No time"}}`, `{"type":"user","timestamp":"today","message":{}}`, `[]`, `7`} {
		if got := claudeRows(t, line+"\n", false); got != unknown {
			t.Errorf("%s: %s", line, got)
		}
	}
}

func TestClaudeUsageLeavesTextsOut(t *testing.T) {
	t.Parallel()
	line := `{"type":"assistant","timestamp":"2026-11-20T10:00:00Z","message":{"content":[{"type":"text","text":"Said"}],"usage":{"input_tokens":4}}}` + "\n"
	for only, want := range map[bool]string{false: "other a   4+0+0+0+0 $0 \"\"\nanswer a   \"Said\"", true: `other a   4+0+0+0+0 $0 ""`} {
		if diff := cmp.Diff(want, claudeRows(t, line, only)); diff != "" {
			t.Errorf("%v: %s", only, diff)
		}
	}
}

// claudeRows returns the rows of a transcript, a line each: kind, session, folder, branch and what else is set.
func claudeRows(t *testing.T, content string, usage bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	sessionstest.Write(t, path, content)
	var lines []string
	at, err := sessions.Claude{}.Read(t.Context(), sessions.Source{Path: path, UsageOnly: usage}, sessions.Position{}, func(r sessions.Row, _ sessions.Position) error {
		said := r.Kind.String()
		if r.Agent {
			said += "!"
		}
		said += " " + r.Session + " " + r.Folder + " " + r.Branch
		for _, one := range []string{r.Model, r.Path} {
			if one != "" {
				said += " " + one
			}
		}
		if r.Failed {
			said += " failed"
		}
		if n := r.Tokens; r.Kind == sessions.Usage {
			said += fmt.Sprintf(" %d+%d+%d+%d+%d $%v", n.Input, n.Output, n.CacheRead, n.Cache5m, n.Cache1h, n.Cost)
		}
		lines = append(lines, said+fmt.Sprintf(" %q", r.Text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if at.Passed > 0 {
		lines = append(lines, "unknown")
	}
	return strings.Join(lines, "\n")
}
