package linemap_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify/linemap"
)

// textOf makes a text of lines written as words: equal words are equal lines, leading dots are indentation, - is a blank line.
func textOf(words []string) linemap.Text {
	var t linemap.Text
	for _, word := range words {
		bare := strings.TrimLeft(word, ".")
		t.Lines, t.Exact = append(t.Lines, number(bare)), append(t.Exact, number(word))
		indent, weight := len(word)-len(bare), len(strings.Trim(bare, "{}"))
		if bare == "-" {
			indent = -1
		}
		t.Indents, t.Weights = append(t.Indents, indent), append(t.Weights, weight)
	}
	return t
}

func number(word string) (n uint64) {
	for _, c := range []byte(word) {
		n = n*257 + uint64(c) + 1
	}
	return n
}

func TestNew(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		want           []int
	}{
		{"same", "a b c", "a b c", []int{0, 1, 2}},
		{"inserted", "a b c", "x a y b c z", []int{1, 3, 4}},
		{"deleted", "a b c", "c", []int{-1, -1, 0}},
		{"moved down is deleted and new", "a b c d", "b c d a", []int{-1, 0, 1, 2}},
		{"indented", "a .b c", "a ...b c", []int{0, 1, 2}},
		{"a function inserted after another", "f{ .a } g{ .b }", "f{ .a } h{ .c } g{ .b }", []int{0, 1, 2, 6, 7, 8}},
		{"a function inserted before the last brace", "t{ .f{ ..a .} }", "t{ .f{ ..a .} .h{ ..c .} }", []int{0, 1, 2, 3, 7}},
		{"a method added after the last one that ends with a word", "t .f ..a .end end", "t .f ..a .end - .h ..c .end end", []int{0, 1, 2, 3, 8}},
		{"equal but for their indentation", "t{ .} }", "t{ .g{ ..x{ ..} .} }", []int{0, 4, 5}},
		{"nothing in common", "a b", "c d", []int{-1, -1}},
	} {
		m := linemap.New(textOf(strings.Fields(test.old)), textOf(strings.Fields(test.new)))
		if !slices.Equal(m.To, test.want) {
			t.Errorf("%s: %v, want %v", test.name, m.To, test.want)
		}
	}
}

func TestGap(t *testing.T) {
	m := linemap.New(textOf(strings.Fields("a b c d")), textOf(strings.Fields("a x y d")))
	if first, after := m.Gap(1); first != 1 || after != 3 {
		t.Errorf("gap of b: %d to %d", first, after)
	}
	if first, after := linemap.Apart(2, 3).Gap(0); first != 0 || after != 3 {
		t.Errorf("gap where nothing is mapped: %d to %d", first, after)
	}
}

// holds checks the properties of every map.
func holds(t *testing.T, old, new linemap.Text, m *linemap.Map) {
	t.Helper()
	last := -1
	for o, n := range m.To {
		if n < 0 {
			continue
		}
		if n <= last || m.From[n] != o || old.Lines[o] != new.Lines[n] {
			t.Fatalf("old %v new %v: %v, %v", old.Lines, new.Lines, m.To, m.From)
		}
		last = n
	}
	for n, o := range m.From {
		if o >= 0 && m.To[o] != n {
			t.Fatalf("old %v new %v: %v, %v", old.Lines, new.Lines, m.To, m.From)
		}
	}
}

func TestRandomMaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("a b c d e .} } .a ..a { f g h")
	for range 3000 {
		var old, new []string
		for range rng.IntN(30) {
			old = append(old, words[rng.IntN(len(words))])
		}
		for _, word := range old {
			switch rng.IntN(6) {
			case 0:
			case 1:
				new = append(new, words[rng.IntN(len(words))], word)
			default:
				new = append(new, word)
			}
		}
		o, n := textOf(old), textOf(new)
		holds(t, o, n, linemap.New(o, n))
	}
}

func TestManyEqualLines(t *testing.T) {
	old, new := make([]string, 3000), make([]string, 2000)
	for i := range old {
		old[i] = "}"
	}
	for i := range new {
		new[i] = "}"
	}
	new[1000] = "x"
	o, n := textOf(old), textOf(new)
	holds(t, o, n, linemap.New(o, n))
}

func FuzzNew(f *testing.F) {
	f.Add("a b c", "a c b")
	f.Add("f{ .a } g{ .b }", "f{ .a } h{ .a } g{ .b }")
	f.Fuzz(func(t *testing.T, old, new string) {
		if len(old)+len(new) > 4000 {
			t.Skip()
		}
		o, n := textOf(strings.Fields(old)), textOf(strings.Fields(new))
		holds(t, o, n, linemap.New(o, n))
		same := linemap.New(o, o)
		for i, k := range same.To {
			if i != k {
				t.Fatalf("%q is not the same as itself: %v", old, same.To)
			}
		}
	})
}
