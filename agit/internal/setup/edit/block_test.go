package edit

import (
	"strings"
	"testing"
)

const habits = "## Habits\n\n- One.\n- Two.\n"

var messyMarkdown = map[string]string{
	"nothing": "", "a title": "# App\n", "no final newline": "# App\n\ntext", "blank lines": "# App\n\n\n",
	"CRLF": "# App\r\n\r\ntext\r\n", "byte order mark": "\ufeff# App\n", "another block": "<!-- classify:start -->\nx\n<!-- classify:end -->\n",
	"a blank line": "\n", "words of ours": "agit:start and agit:end\n",
}

func TestBlockIsRestored(t *testing.T) {
	for name, before := range messyMarkdown {
		after, added, err := PutBlock(before, habits)
		if err != nil {
			t.Fatal(err)
		}
		b, err := FindBlock(after)
		if err != nil || b == nil || b.Edited || b.Inner != habits {
			t.Errorf("%s: %+v, %v in %q", name, b, err, after)
		}
		newer, _, err := PutBlock(after, "new\n")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{after, newer} {
			if back, err := TakeBlock(text, added); err != nil || back != before {
				t.Errorf("%s: %q, want %q, %v", name, back, before, err)
			}
		}
		if back, err := TakeBlock(after+"more\n", added); err != nil || !strings.HasSuffix(back, "more\n") || strings.Contains(back, "Habits") {
			t.Errorf("%s: %q, %v", name, back, err)
		}
	}
}

func TestBlockTellsEdits(t *testing.T) {
	text, _, _ := PutBlock("# App\n", habits)
	b, err := FindBlock(strings.Replace(text, "One", "Uno", 1))
	if err != nil || !b.Edited {
		t.Errorf("%+v, %v", b, err)
	}
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	if b, err = FindBlock(crlf); err != nil || b.Edited {
		t.Errorf("another line end is taken for an edit: %+v, %v", b, err)
	}
}

func TestBlockIsRefused(t *testing.T) {
	one, _, _ := PutBlock("", habits)
	for name, text := range map[string]string{
		"no end": "<!-- agit:start v=1 sha=00000000 -->\n", "no start": "<!-- agit:end -->\n", "two": one + one,
		"turned round": "<!-- agit:end -->\n<!-- agit:start v=1 sha=00000000 -->\n",
	} {
		if after, _, err := PutBlock(text, habits); err == nil {
			t.Errorf("%s: %q", name, after)
		}
		if after, err := TakeBlock(text, Added{}); err == nil || after != text {
			t.Errorf("%s: %q, %v", name, after, err)
		}
	}
}

func FuzzBlock(f *testing.F) {
	for _, text := range messyMarkdown {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if b, err := FindBlock(text); err != nil || b != nil {
			return
		}
		after, added, err := PutBlock(text, habits)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := FindBlock(after); err != nil || b == nil || b.Edited {
			t.Fatalf("%+v, %v in %q", b, err, after)
		}
		if back, err := TakeBlock(after, added); err != nil || back != text {
			t.Fatalf("%q, want %q, %v", back, text, err)
		}
	})
}
