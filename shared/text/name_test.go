package text_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/text"
)

func TestName(t *testing.T) {
	for _, good := range []string{"a", "a\u2027b", "a\u202fb", "a\u2065b", "a\u206ab", "with space", `q"uote's`, "-rf", "--", "..", "ünïcødé", "🚀", "a/b", strings.Repeat("x", text.MaxName)} {
		if got, err := text.Name("name", good); err != nil || got != good {
			t.Errorf("Name(%q) = %q, %v", good, got, err)
		}
	}
	for _, bad := range []string{"", " ", "a ", "\ta", "a\nb", "a\x00b", "a\x1b[31m", "\xff", "a\u202ab", "a\u202eb", "a\u2066b", "a\u2069b", "a\u2028b", "a\u2029b", "a\u200bb", "a\ufeffb", "a\U000e0072", strings.Repeat("x", text.MaxName+1)} {
		if _, err := text.Name("name", bad); !fault.Is(err, fault.KindValidation) || fault.From(err).Field != "name" {
			t.Errorf("Name(%q): %v", bad, err)
		}
	}
}

func TestBody(t *testing.T) {
	if got, err := text.Body("text", "\n  two\nlines \n"); err != nil || got != "two\nlines" {
		t.Errorf("Body = %q, %v", got, err)
	}
	if got, err := text.Body("text", strings.Repeat("x", text.MaxBody)); err != nil || len(got) != text.MaxBody {
		t.Errorf("a body of the greatest length: %d bytes, %v", len(got), err)
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
	known := []string{"status", "spawn", "worktree", "go"}
	for given, want := range map[string]string{
		"stauts": "status", "STATUS": "status", "spwan": "spawn", "worktrees": "worktree", "merge": "", "x": "", "": "",
		"wor": "worktree", "wo": "go", "sxyz": "", // a beginning counts from three letters on; two letters may have one wrong
		"sta": "status", "s": "",
		"spxxn": "", "worktxxx": "", "worktrxx": "worktree", // one letter in three may be wrong
	} {
		if got := text.Nearest(given, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", given, got, want)
		}
	}
	if got := text.Nearest("tas", []string{"tasks", "taste"}); got != "" {
		t.Errorf("a beginning of two names means %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 9, 0}, {"", "abc", 9, 3}, {"abc", "", 9, 3}, {"abc", "abc", 9, 0}, {"abc", "abd", 9, 1}, {"abc", "acb", 9, 1},
		{"abc", "ab", 9, 1}, {"ab", "abc", 9, 1}, {"abcd", "badc", 9, 2}, {"kitten", "sitting", 9, 3}, {"ab", "ba", 9, 1}, {"ca", "abc", 9, 3},
		{"kitten", "sitting", 2, 2}, {"a", "abcd", 3, 3}, {"é", "e", 9, 1},
	} {
		if got := text.Distance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"one\ntwo", 9, "one"}, {"\n\n  one  \n two", 9, "one"}, {"one \r\ntwo", 9, "one"}, {"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"ééé", 3, "é"}, {"é", 1, ""}, {"", 0, ""},
	} {
		if got := text.FirstLine(c.text, c.limit); got != c.want {
			t.Errorf("FirstLine(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

// A cell has the first line, up to the end of a word, and a mark where that is not all.
func TestInRow(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"one two", 9, "one two"}, {"one two\n", 9, "one two"}, {"one two\nthree", 9, "one two …"}, {"one two three", 9, "one two …"},
		{"one two\nthree", 6, "one …"}, {"abcdef", 3, "abc …"}, {"", 3, ""},
	} {
		if got := text.InRow(c.text, c.limit); got != c.want {
			t.Errorf("InRow(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
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

// Every sign alone, quoted unless it is plain in every shell.
func TestShellWordOfEverySign(t *testing.T) {
	const plain = "%+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
	var left strings.Builder
	for r := rune(1); r < 0x180; r++ {
		if text.ShellWord(string(r)) == string(r) {
			left.WriteRune(r)
		}
	}
	if left.String() != plain {
		t.Errorf("unquoted are %q, want %q", left.String(), plain)
	}
}

func TestFew(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "a1", 5: "a1, a2, a3, a4, a5", 6: "a1, a2, a3, a4, a5 and 1 more", 8: "a1, a2, a3, a4, a5 and 3 more"} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("a", i+1))
		}
		if got := text.Few(names); got != want {
			t.Errorf("%d are %q, want %q", n, got, want)
		}
	}
	if got := text.Few([]string{"a\x1fb", "c d", "e\x7f"}); got != `"a\x1fb", c d, "e\x7f"` {
		t.Error(got)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 tasks", 1: "1 task", 2: "2 tasks"} {
		if got := text.Count(n, "task", "tasks"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
