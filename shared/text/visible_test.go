package text_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/text"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"run \"npm install\"?", "run \"npm install\"?"},
		{" two\n\tlines\r\n", "two lines"},
		{"\x1b[1;31mred\x1b[0m \x1b]0;title\x07and \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "red and link"},
		{"cut off \x1b", "cut off"},
		{"cut off \x1b]0;title", "cut off"},
		{"\x1b(Bcharset \x1b=keypad \x9b31mC1", "charset keypad 31mC1"},
		{"re\u202eversed \u2066and\u2069 zero\u200bwidth", "reversed and zerowidth"},
		{"bad \xff byte\x00", "bad byte"},
		{"ééééééééééééééé", "éééééééééé" + "…"},
	} {
		if got := text.Visible(c.given, 24); got != c.want {
			t.Errorf("%q: %q", c.given, got)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31mb", 10)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 3 + max(0, limit)%200
		got := text.Visible(s, limit)
		if len(got) > limit || !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("%q: %q", s, got)
		}
		if again := text.Visible(got, limit); again != got {
			t.Errorf("%q: %q, then %q", s, got, again)
		}
	})
}

func TestShowTags(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{"{\"a\":\"plain \U0001f3f4\"}", "{\"a\":\"plain \U0001f3f4\"}"},
		{"{\"a\":\"x\U000e0072\U000e006dy \U000e0100\"}", "{\"a\":\"x\\\\U000e0072\\\\U000e006dy \U000e0100\"}"},
	} {
		if got := string(text.ShowTags([]byte(c.doc))); got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%q: %q", c.doc, got)
		}
	}
}
