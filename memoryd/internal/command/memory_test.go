package command

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
)

func TestCitation(t *testing.T) {
	for given, want := range map[string]memory.Citation{
		"a.go":                      {Path: "a.go"},
		"src/a.go:12":               {Path: "src/a.go", Line: 12},
		"a.go:12:x := 1: really":    {Path: "a.go", Line: 12, Snippet: "x := 1: really"},
		"odd:name.go":               {Path: "odd:name.go"},
		"odd:name.go:3":             {Path: "odd:name.go", Line: 3},
		"a.go:0":                    {Path: "a.go:0"},
		"a.go:-1":                   {Path: "a.go:-1"},
		":":                         {Path: ":"},
		"":                          {},
		"a.go:99999999999999999999": {Path: "a.go:99999999999999999999"},
	} {
		if diff := cmp.Diff(want, citation(given)); diff != "" {
			t.Errorf("%q: %s", given, diff)
		}
	}
}

func FuzzCitation(f *testing.F) {
	f.Add("a:b:3:c")
	f.Fuzz(func(t *testing.T, given string) {
		if c := citation(given); !strings.HasPrefix(given, c.Path) || c.Line < 0 {
			t.Errorf("%q became %+v", given, c)
		}
	})
}

func TestExpiry(t *testing.T) {
	for given, ahead := range map[string]time.Duration{"30d": 30 * 24 * time.Hour, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute} {
		at, err := expiry(given)
		if err != nil || time.Until(at.Time) < ahead-2*time.Hour || time.Until(at.Time) > ahead+2*time.Hour { // a summer time may lie between
			t.Errorf("%q: %v, %v", given, at, err)
		}
	}
	for given, want := range map[string]string{"2027-01-31": "2027-01-31T00:00:00Z", "2027-01-31T10:00:00+02:00": "2027-01-31T08:00:00Z"} {
		if at, err := expiry(given); err != nil || at.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v", given, at, err)
		}
	}
	if at, err := expiry(""); at != nil || err != nil {
		t.Errorf("nothing: %v, %v", at, err)
	}
	for _, bad := range []string{"0d", "-1d", "soon", "99999999d", "-5h", "2027-13-01"} {
		if _, err := expiry(bad); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func questions(in string) ([]asked, error) {
	s, input, _, _ := term.Test()
	input.WriteString(in)
	return readQuestions(s)
}

func TestReadQuestions(t *testing.T) {
	got, err := questions("why?\n\n\"is it?\"\n{\"query\":\"how?\",\"limit\":3,\"tags\":[\"a\"],\"id\":\"q7\"}\n\"unfinished\n")
	want := []asked{{Query: "why?"}, {Query: "is it?"}, {Query: "how?", Limit: 3, Tags: []string{"a"}, ID: "q7"}, {Query: "\"unfinished"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, bad := range []string{`{"query":`, `{"question":"x"}`, `{"query":"x"} {"query":"y"}`, `{"query":3}`, strings.Repeat("x", 2<<20)} {
		if _, err := questions("fine\n" + bad); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%.40s: %v", bad, err)
		}
	}
}

func FuzzReadQuestions(f *testing.F) {
	f.Add("why?\n{\"query\":\"x\"}\n")
	f.Fuzz(func(t *testing.T, in string) {
		got, err := questions(in)
		if err == nil && len(got) > bytes.Count([]byte(in), []byte("\n"))+1 {
			t.Errorf("%q gives %d questions", in, len(got))
		}
	})
}
