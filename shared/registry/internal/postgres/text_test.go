package postgres

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func TestNumbered(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`SELECT 1`:                 `SELECT 1`,
		`a = ? AND b IN (?, ?)`:    `a = $1 AND b IN ($2, $3)`,
		`a = '?' AND b = ?`:        `a = '?' AND b = $1`,
		`a = 'it''s ?' AND b = ?`:  `a = 'it''s ?' AND b = $1`,
		`"what?" = ?`:              `"what?" = $1`,
		"a = ? -- why?\nAND b = ?": "a = $1 -- why?\nAND b = $2",
		`? || ? || ? || ? || ? || ? || ? || ? || ? || ?`: `$1 || $2 || $3 || $4 || $5 || $6 || $7 || $8 || $9 || $10`,
		`a = ? AND b = 'open`:                            `a = $1 AND b = 'open`,
	} {
		for range 2 { // the second time it is known
			if got := Numbered(in); got != want {
				t.Errorf("%s: %s", in, got)
			}
		}
	}
}

func TestPlaced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		args []any
		want string
		kept []any
	}{
		{`a = ?`, []any{1}, `a = ?`, []any{1}},
		{`a = ?, b = ?, c = ?`, []any{1, Expression("now"), "x"}, `a = ?, b = now, c = ?`, []any{1, "x"}},
		{`a = '?', b = ?, c = ?`, []any{Expression("now"), 2}, `a = '?', b = now, c = ?`, []any{2}},
		{`a = ? AND b = ?`, []any{Expression("now")}, `a = now AND b = ?`, nil}, // which the server refuses
	} {
		if got, kept := Placed(c.in, c.args); got != c.want || !slices.Equal(kept, c.kept) {
			t.Errorf("%s %v: %s %v", c.in, c.args, got, kept)
		}
	}
}

// Whatever bytes a text holds, it is stored as a text that PostgreSQL takes, and comes
// back as it was; plain texts are stored as they are.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "plain", "grün ✓ 日本", "a\x00b", "\xff/\xfe", "\U0010ff00", "\U0010ffff\x80", "\xf4\x8f\xbf"} {
		f.Add(s, s+"x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		stored := Escape(a)
		if !utf8.ValidString(stored) {
			t.Fatalf("%q is stored as %q", a, stored)
		}
		for _, r := range stored {
			if r == 0 {
				t.Fatalf("%q is stored with a NUL", a)
			}
		}
		if got := Unescape(stored); got != a {
			t.Fatalf("%q came back as %q", a, got)
		}
		if a != b && Escape(b) == stored {
			t.Fatalf("%q and %q are stored alike", a, b)
		}
	})
}

func TestPlainTextIsStoredAsItIs(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "plain", "grün ✓ 日本", "\U0001F600"} {
		if Escape(s) != s {
			t.Errorf("%q is stored as %q", s, Escape(s))
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	if got := Quote(`it's \ "so"`); got != `'it''s \ "so"'` {
		t.Error(got)
	}
	if got := QuoteName(`a"b`); got != `"a""b"` {
		t.Error(got)
	}
}
