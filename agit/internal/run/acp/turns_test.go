package acp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each further prompt is another turn of the session. Tokens of turns are added up, the cost is the session's, and the last message and
// the last end are reported.
func TestFurtherTurns(t *testing.T) {
	t.Parallel()
	s := &script{answers: map[string][]string{"session/prompt": {chunk("I do ID."), reported("usage_update", `,"cost":{"amount":0.5,"currency":"USD"}`),
		`{"jsonrpc":"2.0","id":ID,"result":{"stopReason":"end_turn","usage":{"inputTokens":10,"outputTokens":5,"cachedReadTokens":3}}}`}}}
	told, written := []string{"not in main.go", "and\n[failed] not so"}, []string{}
	var opened string
	r, log := speak(t, t.Context(), Turn{Prompt: "do it", Opened: func(session string) { opened = session },
		Written: func(session string) { written = append(written, session) },
		Next: func(context.Context) (text string) {
			if len(told) > 0 {
				text, told = told[0], told[1:]
			}
			return text
		}}, s)
	if want := (Usage{Input: 30, Output: 15, Cached: 9, Cost: 0.5, Currency: "USD", Session: "s1"}); r.Usage != want || r.Turns != 3 || r.Stop != "end_turn" {
		t.Errorf("%+v", r)
	}
	if d := cmp.Diff([]string{"s1", "s1", "s1"}, written); d != "" || opened != "s1" {
		t.Error(opened, d)
	}
	if !strings.HasPrefix(r.Message, "I do ") || strings.Count(r.Message, "I do") != 1 {
		t.Errorf("the last message is %q", r.Message)
	}
	if !strings.Contains(log, "[told] not in main.go\n") || !strings.Contains(log, "[told] and\n  [failed] not so\n") {
		t.Errorf("the log is %q", log)
	}
	var texts []string
	for _, line := range s.got {
		var m struct {
			Method string
			Params struct{ Prompt []struct{ Text string } }
		}
		if _ = json.Unmarshal([]byte(line), &m); m.Method == "session/prompt" {
			texts = append(texts, m.Params.Prompt[0].Text)
		}
	}
	if d := cmp.Diff([]string{"do it", "not in main.go", "and\n[failed] not so"}, texts); d != "" {
		t.Error(d)
	}
}

// A turn is cut for a person's urgent message: its requests are answered with cancelled, and the next turn's requests are decided
// again.
func TestCutTurn(t *testing.T) {
	t.Parallel()
	ask := `{"jsonrpc":"2.0","id":"q1","method":"session/request_permission","params":{"toolCall":{"kind":"execute","rawInput":{"command":"x"}},"options":[{"optionId":"yes","kind":"allow_once"}]}}`
	for name, end := range map[string]string{
		"in order": `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}`,
		"an error": `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"aborted"}}`,
	} {
		cut := make(chan struct{}, 1)
		asked := 0
		s := &script{answers: map[string][]string{"session/prompt": {ask}, "session/cancel": {end},
			"selected": {`{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}`}}}
		told := []string{"stop"}
		r, _ := speak(t, t.Context(), Turn{Prompt: "do it", Cut: cut, Decide: func(ctx context.Context, _ Request) Decision {
			if asked++; asked == 1 {
				cut <- struct{}{}
				<-ctx.Done()
			}
			return Decision{Allow: true}
		}, Next: func(context.Context) (text string) {
			if len(told) > 0 {
				text, told = told[0], nil
			}
			return text
		}}, s)
		if r.Err != nil || r.Stop != "end_turn" || r.Turns != 2 || asked != 2 {
			t.Errorf("%s: %+v, asked %d times", name, r, asked)
		}
		if got := s.sent(`"outcome":"selected"`); !strings.Contains(got, `"optionId":"yes"`) {
			t.Errorf("%s: the second question got %q", name, got)
		}
	}
}

// The log follows each call: its description, further details, its result and its duration.
func TestToolsInTheLog(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct{ updates, want string }{
		"a command":      {`call {"toolCallId":"1","title":"` + "`make test`" + `","kind":"execute","rawInput":{"command":"make test\nmake lint"}}; update {"toolCallId":"1","status":"failed","content":[{"type":"content","content":{"type":"text","text":"exit status 2\nmore"}}]}`, "[execute] make test\n  make lint\n[failed] make test, 7s: exit status 2\n"},
		"a file":         {`call {"toolCallId":"1","title":"Edit","kind":"edit","locations":[{"path":"/w/a/b.go"}]}; update {"toolCallId":"1","status":"completed"}`, "[edit] Edit: a/b.go\n[done] Edit: a/b.go, 7s\n"},
		"a named file":   {`call {"toolCallId":"1","title":"Write /w/b.go","kind":"edit","rawInput":{"file_path":"/w/b.go"},"status":"completed"}`, "[edit] Write b.go\n[done] Write b.go\n"},
		"more of it":     {`call {"toolCallId":"1","title":"Terminal","kind":"execute"}; update {"toolCallId":"1","title":"ls","rawInput":{"command":"ls -l"}}; update {"toolCallId":"1","title":"ls","status":"completed"}`, "[execute] Terminal\n[execute] ls -l\n[done] ls -l, 14s\n"},
		"an address":     {`call {"toolCallId":"1","title":"Fetch","kind":"fetch","rawInput":{"url":"https://e.com"}}`, "[fetch] Fetch: https://e.com\n"},
		"nothing told":   {`call {"toolCallId":"1","title":[]}; update {"toolCallId":7,"status":"failed"}; update {"toolCallId":"x","status":"completed"}; update {"status":"pending"}`, "[failed] 7\n[done] x\n"},
		"without a kind": {`call {"toolCallId":"1","title":"think","rawInput":7}`, "[tool] think\n"},
	} {
		var log strings.Builder
		c := &conversation{turn: &Turn{Dir: "/w"}, out: writer{to: &log}}
		for i, one := range strings.Split(test.updates, "; ") {
			kind, body, _ := strings.Cut(one, " ")
			var u report
			if err := json.Unmarshal([]byte(body), &u.rest); err != nil {
				_ = err // fields of an unexpected type
			}
			u.Kind = map[string]string{"call": "tool_call", "update": "tool_call_update"}[kind]
			c.called(u, json.RawMessage(body), at.Add(time.Duration(7*i)*time.Second))
		}
		if d := cmp.Diff(test.want, log.String()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
