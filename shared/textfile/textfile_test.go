package textfile_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/textfile"
)

func lines(f *textfile.File) (all []string) {
	for i := range f.Len() {
		all = append(all, string(f.Line(i)))
	}
	return all
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, data string
		want       []string
	}{
		{"empty", "", nil},
		{"one line", "a", []string{"a"}},
		{"final line end", "a\nb\n", []string{"a", "b"}},
		{"blank lines", "\n\na\n\n", []string{"", "", "a", ""}},
		{"CRLF", "a\r\nb\r\n", []string{"a", "b"}},
		{"old line ends", "a\rb\r", []string{"a", "b"}},
		{"mixed", "a\rb\r\nc\n", []string{"a\rb", "c"}},
		{"byte order mark", "\uFEFFa\n", []string{"a"}},
		{"UTF-16 little", "\xFF\xFEa\x00\n\x00\xE4\x00", []string{"a", "ä"}},
		{"UTF-16 big", "\xFE\xFF\x00a\x00\n\x00b", []string{"a", "b"}},
		{"UTF-16 unmarked", "h\x00e\x00l\x00l\x00o\x00\n\x00", []string{"hello"}},
		{"Latin-1", "caf\xE9\n", []string{"café"}},
	} {
		f := textfile.Parse([]byte(test.data))
		if f == nil || !slices.Equal(lines(f), test.want) {
			t.Errorf("%s: %q, want %q", test.name, lines(f), test.want)
		}
	}
	for _, data := range []string{"a\x00b\n", "\x7fELF\x02\x00\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x00"} {
		if textfile.Parse([]byte(data)) != nil {
			t.Errorf("%q was taken for text", data)
		}
	}
}

func TestSqueeze(t *testing.T) {
	for line, want := range map[string]string{
		"  foo( a,  b )\t": "foo(a,b)", "int  x = 1": "int x=1", "return": "return", "\t": "", "a\u00a0b": "a b", "\ufeffa": "a", "ä ö": "ä ö", "a\u3000= b": "a=b",
	} {
		if got := string(textfile.Squeeze(nil, []byte(line))); got != want {
			t.Errorf("%q squeezed is %q, want %q", line, got, want)
		}
	}
}

func TestContaining(t *testing.T) {
	f := textfile.Parse([]byte("one two\ntwo two\n\nthree\ntwo"))
	var found []int
	f.Containing([]byte("two"), func(i int) bool { found = append(found, i); return true })
	if !slices.Equal(found, []int{0, 1, 4}) {
		t.Errorf("found %v", found)
	}
	f.Containing([]byte("two\ntwo"), func(i int) bool { t.Errorf("found over a line end, at %d", i); return true })
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("a\r\n\tb c \n"))
	f.Add([]byte("\xFF\xFEa\x00\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := textfile.Parse(bytes.Clone(data))
		if file == nil {
			return
		}
		if len(file.Hashes()) != file.Len() || len(file.Exact()) != file.Len() || len(file.Weights()) != file.Len() {
			t.Fatal("not one of each for every line")
		}
		for i := range file.Len() {
			line := file.Line(i)
			squeezed := textfile.Squeeze(nil, line)
			if file.Blank(i) != (len(squeezed) == 0) || file.Hashes()[i] != textfile.Hash(squeezed) || bytes.IndexByte(line, '\n') >= 0 {
				t.Fatalf("line %d, %q", i, line)
			}
			if again := textfile.Squeeze(nil, squeezed); !bytes.Equal(again, squeezed) {
				t.Fatalf("%q squeezed twice is %q", squeezed, again)
			}
			word := strings.TrimSpace(string(line))
			hit := word == ""
			file.Containing([]byte(word), func(k int) bool { hit = hit || k == i; return !hit })
			if !hit {
				t.Fatalf("%q is not found where it is", word)
			}
		}
	})
}
