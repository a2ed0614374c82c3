package command

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/text"
)

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		`claude`:                 {"claude"},
		`  echo hi   there `:     {"echo", "hi", "there"},
		`a "b c" 'd "e"' f\ g`:   {"a", "b c", `d "e"`, "f g"},
		`a "" ''`:                {"a", "", ""},
		`echo $HOME $(date) #1`:  {"echo", "$HOME", "$(date)", "#1"},
		`sh -c 'a | b; c > d &'`: {"sh", "-c", "a | b; c > d &"},
		`größe "日本 語"`:           {"größe", "日本 語"},
		``:                       {},
	} {
		got, err := splitWords(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q: %v", line, got, want, err)
		}
	}
	for _, line := range []string{`a | b`, `a; b`, `a && b`, `a > b`, `a 2>b`, `;`, `a 'b`, `a "b`, `a \`, `(a)`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%s was split into %q", line, got)
		}
	}
}

// Whatever is quoted for a shell comes out as it went in.
func FuzzSplitWords(f *testing.F) {
	f.Add("echo", "hi there")
	f.Add(`it's`, "a\n$b | c")
	f.Add("", `\"`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			t.Skip()
		}
		line := text.ShellWord(a) + " " + text.ShellWord(b)
		if got, err := splitWords(line); err != nil || !slices.Equal(got, []string{a, b}) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
		_, _ = splitWords(a) // hostile lines end too
	})
}
