package graphquery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// A query is kept until there are too many; a long one is parsed each time.
func TestKeptQueries(t *testing.T) {
	t.Parallel()
	var m queryCache
	again := func(text string) bool {
		t.Helper()
		one, err := m.prepare(text)
		if err != nil {
			t.Fatal(err)
		}
		other, err := m.prepare(text)
		if err != nil {
			t.Fatal(err)
		}
		return one == other
	}
	long := "RETURN 1 AS n // "
	long += strings.Repeat("x", keptLength-len(long))
	if !again("RETURN 1 AS n") || !again(long) || again(long+"x") {
		t.Error("a query is parsed again, or a long one is kept")
	}
	first, _ := m.prepare("RETURN 1 AS n")
	for i := range keptQueries - 2 {
		_ = again(fmt.Sprintf("RETURN %d AS kept", i))
	}
	if same, _ := m.prepare("RETURN 1 AS n"); same != first || len(m.queries) != keptQueries {
		t.Errorf("of %d queries, %d are kept", keptQueries, len(m.queries))
	}
	if !again("RETURN 1 AS more") || len(m.queries) != 1 {
		t.Errorf("with one more, %d are kept", len(m.queries))
	}
	if _, err := m.prepare("RETURN"); err == nil || len(m.queries) != 1 {
		t.Errorf("a query that cannot be parsed is kept: %v", err)
	}
}

// The nodes of a label are counted once in a while.
func TestSizesAreCountedAgain(t *testing.T) {
	t.Parallel()
	var m queryCache
	counted := 0
	count := func() float64 { counted++; return float64(counted) }
	one, two := labels[0], labels[1]
	got := []float64{m.sizeOf(one, count), m.sizeOf(one, count), m.sizeOf(two, count), m.sizeOf(one, count)}
	m.sizes[one.name] = size{7, time.Now().Add(-sizesLastFor)}
	got = append(got, m.sizeOf(one, count), m.sizeOf(one, count), m.sizeOf(two, count))
	if want := []float64{1, 1, 2, 1, 3, 3, 2}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// An answer is refused above its limit, with a page that fits.
func TestAnswersThatDoNotFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size, most, rows     int
		message, hint, field string
	}{
		{mostBytes, 0, 5, "", "", ""}, {mostBytes + 1, 0, 5, "longer than 64 MB after 5 rows", "LIMIT 5", ""}, {mostBytes + 1, 0, 0, "after 0 rows", "LIMIT 1,", ""},
		{100, 100, 5, "", "", ""}, {101, 100, 5, "longer than 100 bytes after 5 rows", "LIMIT 5, or for fewer columns, or raise maxBytes", maxBytes}, {101, 100, 0, "after 0 rows", "LIMIT 1,", maxBytes},
		{mostBytes + 1, mostBytes + 1, 1, "", "", ""}, {mostBytes + 2, mostBytes + 1, 1, "bytes after 1 rows", "LIMIT 1,", maxBytes},
	} {
		err := fits(c.size, c.most, c.rows)
		if (err == nil) != (c.message == "") {
			t.Errorf("%d of %d: %v", c.size, c.most, err)
		} else if f := fault.From(err); err != nil && (!strings.Contains(f.Message, c.message) || !strings.Contains(f.Hint, c.hint) || f.Field != c.field) {
			t.Errorf("%d of %d: %q %q %q", c.size, c.most, f.Message, f.Hint, f.Field)
		}
	}
}

// The size of a document is that of its JSON, without escapes; a number counts as eight bytes.
func TestSizeOfDocuments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		document any
		want     int
	}{
		{"", 2}, {"ab", 4}, {[]any{}, 2}, {[]any{"a", "b"}, 10}, {[]string{"a", "bc"}, 11}, {map[string]any{}, 2}, {map[string]any{"a": "b"}, 10}, {map[string]any{"ab": []any{nil}}, 16},
		{nil, 5}, {true, 5}, {int64(1), 8}, {1.5, 8},
	} {
		if got := jsonSize(c.document); got != c.want {
			t.Errorf("%v: %d, want %d", c.document, got, c.want)
		}
	}
}
