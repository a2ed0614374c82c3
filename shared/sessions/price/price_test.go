package price

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sessions"
)

func TestCost(t *testing.T) {
	t.Parallel()
	table := Default()
	const k = 1000
	for name, c := range map[string]struct {
		model string
		took  sessions.Tokens
		want  float64
		known bool
	}{
		"each kind has its rate":             {"claude-opus-4-6", sessions.Tokens{Input: k, Output: k, CacheRead: k, Cache5m: k, Cache1h: k}, 0.005 + 0.025 + 0.0005 + 0.00625 + 0.010, true},
		"reasoning is a part of output":      {"gpt-5.2-codex", sessions.Tokens{Output: k, Reasoning: k}, 0.014, true},
		"200,000 tokens are not above":       {"claude-sonnet-4-5-20250929", sessions.Tokens{Input: 100 * k, CacheRead: 100 * k, Output: k}, 0.3 + 0.03 + 0.015, true},
		"above it all of the request is":     {"claude-sonnet-4-5-20250929", sessions.Tokens{Input: 100 * k, CacheRead: 100*k + 1, Output: k}, 0.6 + 0.0600006 + 0.0225, true},
		"what is written to a cache counts":  {"claude-sonnet-4-5", sessions.Tokens{Cache5m: 150 * k, Cache1h: 51 * k}, 150*0.0075 + 51*0.012, true},
		"newer models have no such tier":     {"claude-opus-4-8", sessions.Tokens{Input: 900 * k}, 4.5, true},
		"OpenAI's is at 272,000":             {"gpt-5.4", sessions.Tokens{Input: 272 * k, Output: k}, 0.68 + 0.015, true},
		"OpenAI's, above":                    {"gpt-5.4", sessions.Tokens{Input: 272*k + 1, Output: k}, 1.360005 + 0.0225, true},
		"Google's":                           {"gemini-2.5-pro", sessions.Tokens{Input: 300 * k, Output: k}, 0.75 + 0.015, true},
		"fast mode":                          {"claude-opus-4-6-fast", sessions.Tokens{Input: k}, 0.03, true},
		"an unknown model":                   {"claude-opus-9", sessions.Tokens{Input: k}, 0, false},
		"an unknown model that took nothing": {"claude-opus-9", sessions.Tokens{}, 0, true},
		"no model":                           {"", sessions.Tokens{Output: 1}, 0, false},
	} {
		got, known := table.Cost(c.model, c.took)
		if math.Abs(got-c.want) > 1e-9 || known != c.known {
			t.Errorf("%s: %v %v, want %v", name, got, known, c.want)
		}
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"claude-opus-4-6":                              "claude-opus-4-6",
		"claude-opus-4-20250514":                       "claude-opus-4",
		"Claude-Opus-4.6":                              "claude-opus-4-6",
		"openrouter/anthropic/claude-sonnet-4.5":       "claude-sonnet-4-5",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
		"claude-sonnet-4-5@20250929":                   "claude-sonnet-4-5",
		"claude-opus-4-6[1m]":                          "claude-opus-4-6",
		"claude-opus-4-5-20251101-fast":                "claude-opus-4-5-fast",
		"claude-3-5-haiku-latest":                      "claude-3-5-haiku",
		"gpt-5-2025-08-07":                             "gpt-5",
		"gpt-5.1-codex-max":                            "gpt-5.1-codex-max",
		"gemini-2.5-pro-preview-06-05":                 "gemini-2.5-pro",
		"gemini-3.1-flash-lite-preview":                "gemini-3.1-flash-lite",
		"gemini-2.0-flash-exp":                         "gemini-2.0-flash",
		"":                                             "",
		"-latest":                                      "-latest",
	} {
		if got := Model(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestDefaultNamesModelsAsTheyAreLookedUp: a row under another name is never found.
func TestDefaultNamesModelsAsTheyAreLookedUp(t *testing.T) {
	t.Parallel()
	for name, p := range Default().Models {
		if Model(name) != name {
			t.Errorf("%q is looked up as %q", name, Model(name))
		}
		if p.Input <= 0 || p.Output < p.Input || p.CacheRead > p.Input || p.Write1h < p.Write5m || p.Write5m < p.Input {
			t.Errorf("%q: %+v", name, p)
		}
		if (p.Long == nil) != (p.Above == 0) || p.Long != nil && (p.Long.Input <= p.Input || p.Long.Output <= p.Output) {
			t.Errorf("%q has a tier %d of %+v", name, p.Above, p.Long)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(content string) string {
		path := filepath.Join(dir, "prices.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write(`{"date": "2026-01-02", "currency": "EUR", "models": {"My-Model-20260101": {"input": 1, "output": 2, "cache_read": 3, "cache_write_5m": 4, "cache_write_1h": 5, "above": 1000, "long": {"input": 10}}}}`)
	table, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if table.Date != "2026-01-02" || table.Source != path || table.Currency != "EUR" {
		t.Errorf("%+v", table)
	}
	for _, c := range []struct {
		took sessions.Tokens
		want float64
	}{{sessions.Tokens{Input: 100, Output: 100, CacheRead: 100, Cache5m: 100, Cache1h: 100}, 1500e-6}, {sessions.Tokens{Input: 1001, Output: 5}, 10010e-6}} {
		if got, known := table.Cost("my-model", c.took); math.Abs(got-c.want) > 1e-12 || !known {
			t.Errorf("%v %v, want %v", got, known, c.want)
		}
	}
	if _, known := table.Cost("claude-opus-4-6", sessions.Tokens{Input: 1}); known {
		t.Error("the file does not replace the table")
	}
	if table, err := Open(""); err != nil || table.Source != BuiltIn || table.Date != Date {
		t.Errorf("%+v %v", table, err)
	}
	for content, why := range map[string]string{
		`{`:                                   "unexpected EOF",
		`{"date": "yesterday"}`:               "is not a date",
		`{"date": "2026-01-02"}`:              "it has no models",
		`{"date": "2026-01-02", "model": {}}`: "unknown field",
		`{"date": "2026-01-02", "currency": "dollar", "models": {"a": {}}}`: "is not a code",
		`{"date": "2026-01-02", "models": {"a": {"input": -1}}}`:            `a price of "a"`,
		`{"date": "2026-01-02", "models": {"a": {"long": {"output": -1}}}}`: `a price of "a"`,
		`{"date": "2026-01-02", "models": {"a": {}}} {}`:                    "something follows",
	} {
		if _, err := Open(write(content)); err == nil || !strings.Contains(err.Error(), why) || !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s: %v", content, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "none.json")); err == nil || !fault.Is(err, fault.KindValidation) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"date": "2026-01-02", "models": {"a": {"input": 1, "long": {"output": 2}, "above": 5}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := parse("x", data)
		if err != nil {
			return
		}
		for name := range table.Models {
			if amount, known := table.Cost(name, sessions.Tokens{Input: 1e6, Output: 1e6}); !known || amount < 0 || math.IsNaN(amount) {
				t.Errorf("%q: %v %v", name, amount, known)
			}
		}
	})
}

func FuzzModel(f *testing.F) {
	f.Add("us.anthropic.claude-sonnet-4-5-20250929-v1:0")
	f.Fuzz(func(t *testing.T, name string) {
		if once := Model(name); Model(once) != once {
			t.Errorf("%q: %q, then %q", name, once, Model(once))
		}
	})
}
