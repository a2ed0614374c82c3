package mcpkit_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

// The log holds who called which tool and how it ended, and no parameter.
func TestLogLine(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, mcpkit.Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	local := s.Local()
	defer local.Close()
	local.Session().SetAgent("builder-1")
	mcptest.Call(t, local, "test_list", json.RawMessage(`{}`))
	mcptest.Call(t, local, "test_remove", json.RawMessage(`{"repo":"sekret"}`))
	mcptest.Call(t, local, "test_remove", json.RawMessage(`{"sekret":"sekret"}`))
	mcptest.Call(t, local, "test_remove", json.RawMessage(`{"repo":"panic"}`))
	if strings.Contains(log.String(), "sekret") || strings.Contains(log.String(), "goroutine") {
		t.Errorf("the log says too much:\n%s", log.String())
	}
	type line struct {
		Level, Msg, Tool, AgentName, Result string
		Duration                            *float64
	}
	var calls []line
	for raw := range bytes.Lines(log.Bytes()) {
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		if l.Msg == "call" {
			calls = append(calls, l)
		}
	}
	want := []line{
		{"INFO", "call", "test_list", "builder-1", "ok", nil},
		{"INFO", "call", "test_remove", "booked", "1 removed", nil},
		{"WARN", "call", "test_remove", "builder-1", "ValidationError in a parameter", nil},
		{"WARN", "call", "test_remove", "builder-1", "OperationError", nil},
	}
	if len(calls) != len(want) {
		t.Fatalf("got %d lines, want %d", len(calls), len(want))
	}
	for i, w := range want {
		got := calls[i]
		if got.Duration == nil || *got.Duration < 0 {
			t.Errorf("line %d has no duration", i)
		}
		got.Duration = nil
		if got != w {
			t.Errorf("line %d: got %+v, want %+v", i, got, w)
		}
	}
}

func TestSessionEnd(t *testing.T) {
	var ended []string
	s := newServer(t, mcpkit.Options{SessionEnd: func(s *mcpkit.Session) { ended = append(ended, s.Agent()) }})
	local := s.Local()
	local.Session().SetAgent("a")
	mcptest.Call(t, local, "test_remove", json.RawMessage(`{"repo":"kept"}`))
	if local.Session().Get("kept") != true || local.Session().Get("other") != nil {
		t.Error("the session does not keep what was set")
	}
	local.Close()
	local.Close()
	if len(ended) != 1 || ended[0] != "a" {
		t.Errorf("ended: %v", ended)
	}
	<-local.Session().Ended()
}
