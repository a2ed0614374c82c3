package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

func TestName(t *testing.T) {
	for _, good := range []string{"a", "with space", `q"uote's`, "-rf", "--", "..", "ünïcødé", "🚀", "a/b", strings.Repeat("x", text.MaxName)} {
		if got, err := text.Name("name", good); err != nil || got != good {
			t.Errorf("Name(%q) = %q, %v", good, got, err)
		}
	}
	for _, bad := range []string{"", " ", "a ", "\ta", "a\nb", "a\x00b", "a\x1b[31m", "\xff", "a\u202eb", "a\u2028b", strings.Repeat("x", text.MaxName+1)} {
		if _, err := text.Name("name", bad); !fault.Is(err, fault.KindValidation) || fault.From(err).Field != "name" {
			t.Errorf("Name(%q): %v", bad, err)
		}
	}
}

func TestBody(t *testing.T) {
	if got, err := text.Body("text", "\n  two\nlines \n"); err != nil || got != "two\nlines" {
		t.Errorf("Body = %q, %v", got, err)
	}
	for _, bad := range []string{"a\x00", "\xff", strings.Repeat("x", text.MaxBody+1)} {
		if _, err := text.Body("text", bad); !fault.Is(err, fault.KindValidation) {
			t.Errorf("Body(%.10q): %v", bad, err)
		}
	}
}

func FuzzFirstLine(f *testing.F) {
	f.Add("one\ntwo", 3)
	f.Add("ééé", 3)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 0 || !utf8.ValidString(s) {
			t.Skip()
		}
		line := text.FirstLine(s, limit)
		if len(line) > limit || strings.Contains(line, "\n") || !utf8.ValidString(line) {
			t.Errorf("FirstLine(%q, %d) = %q", s, limit, line)
		}
	})
}

func TestNearest(t *testing.T) {
	known := []string{"status", "spawn", "worktree"}
	for given, want := range map[string]string{
		"stauts": "status", "STATUS": "status", "spwan": "spawn", "worktrees": "worktree", "merge": "", "x": "", "": "",
	} {
		if got := text.Nearest(given, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for s, want := range map[string]string{
		"app": "app", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "a/b.c-1": "a/b.c-1", "ü": "'ü'",
	} {
		if got := text.ShellWord(s); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", s, got, want)
		}
	}
}
