package provider

import (
	"strings"
	"testing"
)

func TestMarker(t *testing.T) {
	m := Marker("key")
	for _, c := range []struct{ text, without, marker string }{
		{"text\n\n[" + m + "]", "text", m},
		{"text\n\n<!-- " + m + " -->", "text", m},
		{"<body>text\n\n[" + m + "]</body>", "<body>text</body>", m},
		{"[" + m + "]", "", m},
		{"[" + m + "] and more", "[" + m + "] and more", ""},
		{"text", "text", ""},
		{"[pmsync:xyz]", "[pmsync:xyz]", ""},
		{"", "", ""},
	} {
		if without, marker := Unmark(c.text); without != c.without || marker != c.marker {
			t.Errorf("%q is %q and %q", c.text, without, marker)
		}
	}
	if one, other := Marker("a"), Marker("b"); one == other || one != Marker("a") {
		t.Error("a marker stands for one key")
	}
}

func FuzzUnmark(f *testing.F) {
	f.Add("text", "key")
	f.Add("<p>a</p>", "")
	f.Fuzz(func(t *testing.T, text, key string) {
		if without, marker := Unmark(text); marker == "" && without != text {
			t.Fatalf("%q became %q", text, without)
		}
		without, marker := Unmark(text + "\n\n[" + Marker(key) + "]")
		if marker != Marker(key) || without != strings.TrimRight(without, "\n") && !strings.HasSuffix(text, "\n") {
			t.Fatalf("%q, %q", without, marker)
		}
	})
}
