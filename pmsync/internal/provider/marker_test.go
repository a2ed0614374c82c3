package provider

import (
	"errors"
	"strings"
	"testing"
	"time"
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

// TestAddMarked: the comment of an earlier attempt is found again and not added twice; a first
// attempt reads nothing, and a read that fails does not count as an attempt.
func TestAddMarked(t *testing.T) {
	t.Parallel()
	there := []string{"other [" + Marker("other") + "]", "mine [" + Marker("k") + "]"}
	read, added := 0, 0
	failing := error(nil)
	try := func(n NewComment) (string, error) {
		return AddMarked(n, func(yield func(string) error) error {
			read++
			for _, one := range there {
				if err := yield(one); err != nil {
					return err
				}
			}
			return failing
		}, func(s string) string { return s }, func(marker string) (string, error) {
			added++
			return "made " + marker, nil
		})
	}
	again := time.Unix(1, 0)
	for _, c := range []struct {
		n           NewComment
		want        string
		read, added int
	}{
		{NewComment{Key: "k"}, "made " + Marker("k"), 0, 1}, {NewComment{Key: "k", Attempted: again}, there[1], 1, 0}, {NewComment{Key: "new", Attempted: again}, "made " + Marker("new"), 1, 1},
	} {
		read, added = 0, 0
		if got, err := try(c.n); err != nil || got != c.want || read != c.read || added != c.added {
			t.Errorf("%+v: %q, %v, read %d times and added %d", c.n, got, err, read, added)
		}
	}
	failing = Fail(NotFound, nil, "not now")
	var e *Error
	if _, err := try(NewComment{Key: "k", Attempted: again}); !errors.As(err, &e) || !e.InDoubt || added != 1 {
		t.Errorf("a read that fails: %v", err)
	}
}
