package command

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/timestamp"
)

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

// Words that no memory says are told in their order.
func TestUnknownWordsAreOrdered(t *testing.T) {
	s, _, _, errs := term.Test()
	read := map[string][]string{"tabel": {"table"}, "maniffest": {"manifest", "manifests"}, "parsrs": {"parsers"}, "grafe": {"graph"}}
	tellAnswer(&cli.Env{Streams: s}, memory.Answer{Memories: make([]memory.Hit, 1), Read: read})
	want := `no memory says "grafe"; read as graph
no memory says "maniffest"; read as manifest, manifests
no memory says "parsrs"; read as parsers
no memory says "tabel"; read as table
`
	if diff := cmp.Diff(want, errs.String()); diff != "" {
		t.Error(diff)
	}
}

// Times are shown in local time, whatever time zone the registry uses.
func TestTimesAreLocal(t *testing.T) {
	defer func(zone *time.Location) { time.Local = zone }(time.Local)
	time.Local = time.FixedZone("reader", 5*60*60)
	at := timestamp.Of(time.Date(2026, 3, 1, 22, 30, 0, 0, time.UTC))
	said := strings.Join(append(states(memory.Memory{ArchivedAt: &at, ExpiresAt: &at}), former(memory.Version{ChangedAt: at}), local(at)), "\n")
	if strings.Count(said, "2026-03-02 03:30:00") != 4 {
		t.Error(said)
	}
}

// A citation of a whole file has no line.
func TestPlace(t *testing.T) {
	for want, c := range map[string]memory.Citation{"a.go": {Path: "a.go"}, "a.go:1": {Path: "a.go", Line: 1}} {
		if got := place(c); got != want {
			t.Errorf("%+v is shown as %q, want %q", c, got, want)
		}
	}
}
