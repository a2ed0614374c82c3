package term

import (
	"bytes"
	"strings"
	"testing"
)

// TestWidth: the width of text of all scripts on a terminal.
func TestWidth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "e\u0301": 1, "—": 1, "…": 1,
		"שלום": 4, "שָׁלוֹם": 4, "مرحبا": 5, "مَرْحَبًا": 5, "فارسی\u200cها": 7,
		"日本": 4, "ｱ": 1, "Ａ": 2, "한글": 4, "นี้": 1,
		"✅": 2, "👍": 2, "👍🏽": 2, "👩🏽\u200d💻": 2, "👨\u200d👩\u200d👧\u200d👦": 2, "🇩🇪": 2, "🏳️\u200d🌈": 2, "⚠": 1, "a👍b": 4,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q takes %d cells, not %d", text, got, want)
		}
	}
}

// TestSteady: only characters that make terminals disagree about a width are removed.
func TestSteady(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"❤\ufe0f text": "❤ text", "☎\ufe0e": "☎", "1\ufe0f\u20e3": "1\u20e3", "👩\u200d💻": "👩\u200d💻", "שלום": "שלום", "\ufdfa\ufe10": "\ufdfa\ufe10",
	} {
		if got := Steady(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// TestColumnsOfAllScripts: the second column begins at the same cell in every row, whatever the script of the first one, and also when it
// is cut or wrapped.
func TestColumnsOfAllScripts(t *testing.T) {
	t.Parallel()
	cells := []string{"plain", "שלום עולם", "مَرْحَبًا", "日本語の名前", "👨\u200d👩\u200d👧\u200d👦 family", "🇩🇪🇯🇵", "❤\ufe0f heart", "⚠\ufe0f", "ไทย นี้"}
	for _, width := range []int{80, 16} {
		for _, first := range []Column{{Title: "name"}, {Title: "name", Flex: true}, {Title: "name", Short: true}} {
			table := NewTable(first, Column{Title: "id"})
			for _, c := range cells {
				table.Add(c, "X-1")
			}
			var out bytes.Buffer
			if err := table.WriteTo(&Streams{Out: &out, OutTTY: true, Columns: width}); err != nil {
				t.Fatal(err)
			}
			at, rows := -1, 0
			for line := range strings.Lines(out.String()) {
				before, _, found := strings.Cut(line, "X-1")
				if !found {
					continue // the heading, or a line more of a cell
				}
				if strings.ContainsRune(line, 0xfe0f) {
					t.Errorf("%q holds a variation selector", line)
				}
				if rows++; at < 0 {
					at = Width(before)
				}
				if Width(before) != at {
					t.Errorf("in %d cells the second column of %q begins at %d, not %d", width, line, Width(before), at)
				}
			}
			if rows != len(cells) {
				t.Errorf("%d rows in\n%s", rows, out.String())
			}
		}
	}
}

func TestTruncateStart(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"/home/ann/app", 13, "/home/ann/app"}, {"/home/ann/app", 12, "…ome/ann/app"}, {"/home/ann/app", 5, "…/app"}, {"/home/ann/app", 1, "…"},
		{"/home/ann/app", 0, ""}, {"", 0, ""}, {"äöü", 3, "äöü"}, {"äöü", 2, "…ü"}, {"作品/名", 6, "…品/名"}, {"作品/名", 5, "…/名"},
	} {
		if got := TruncateStart(c.text, c.width); got != c.want || Width(got) > c.width {
			t.Errorf("%q in %d cells is %q, not %q", c.text, c.width, got, c.want)
		}
	}
}
