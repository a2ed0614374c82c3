package sessions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// readAllLines returns the lines that are read from a text, shortened for messages, and what ended it.
func readAllLines(t *testing.T, in io.Reader, from int64) (all []string, offset int64, err error) {
	t.Helper()
	l := newLines(in, from)
	for {
		line, over, err := l.next()
		if err != nil {
			return all, l.offset, err
		}
		if over {
			all = append(all, "over")
		} else {
			all = append(all, string(line))
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", lineBuffer) + `"}`
	kept := `{"a":"` + strings.Repeat("x", keptString) + `"}`
	fits := `{"a":"` + strings.Repeat("x", lineBuffer-9) + `"}` // with its line end, just the buffer
	many := "[" + strings.Repeat(`"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",`, maxLine/80) + `"y"]`
	for name, test := range map[string]struct {
		in     string
		want   []string
		offset int
	}{
		"nothing":                       {"", nil, 0},
		"lines":                         {"{}\n [1] \r\n\n", []string{"{}", "[1]", ""}, 11},
		"a whole last line":             {"{}\n[1]", []string{"{}", "[1]"}, 6},
		"a torn last line":              {"{}\n[1", []string{"{}"}, 3},
		"a line that is not a document": {"{\n", []string{"{"}, 2},
		"a line as long as the buffer":  {fits + "\n{}\n", []string{fits, "{}"}, lineBuffer + 3},
		"a long line":                   {long + "\n{}\n", []string{kept, "{}"}, len(long) + 4},
		"a long last line":              {long, []string{kept}, len(long)},
		"a long torn line":              {long[:len(long)-1], nil, 0},
		"two long lines":                {long + "\n" + long + "\n", []string{kept, kept}, 2*len(long) + 2},
		"a line that is too long":       {many + "\n{}\n", []string{"over", "{}"}, len(many) + 4},
		"a last line that is too long":  {"{}\n" + many, []string{"{}"}, 3},
		"a long line after one":         {many + "\n" + long + "\n", []string{"over", kept}, len(many) + len(long) + 2},
	} {
		all, offset, err := readAllLines(t, strings.NewReader(test.in), 7)
		if !errors.Is(err, io.EOF) || offset != int64(test.offset)+7 || fmt.Sprint(all) != fmt.Sprint(test.want) {
			short := fmt.Sprint(all)
			t.Errorf("%s: offset %d, want %d; %d lines: %.200s; %v", name, offset-7, test.offset, len(all), short, err)
		}
	}
	broken := errors.New("broken")
	for _, in := range []string{"{}\n", "{}\n[1]", "{}\n" + long, "{}\n" + many} {
		all, offset, err := readAllLines(t, io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), 0)
		if !errors.Is(err, broken) || offset != 3 || len(all) != 1 {
			t.Errorf("%.20s: %d lines, offset %d, %v", in, len(all), offset, err)
		}
	}
}

// TestShortener checks which part of a text is kept, for texts around the limit, with escapes at every place around it.
func TestShortener(t *testing.T) {
	t.Parallel()
	kept := func(raw string) string {
		if len(raw) <= keptString {
			return raw
		}
		for i := 0; i < len(raw); {
			n := 1
			if raw[i] == '\\' {
				n = 2
				if raw[i+1] == 'u' {
					n = 6
				}
			}
			if i += n; i >= keptString {
				return raw[:i]
			}
		}
		return raw
	}
	for _, escape := range []string{"", `\n`, `\"`, `\\`, `\u00e9`, `\\\"`, `\u00e9\u00e9`} {
		for n := keptString - 14; n <= keptString+2; n++ {
			for _, tail := range []string{"", "\\\"t\\u00e9"} {
				raw := strings.Repeat("x", n) + escape + tail
				document := `{"a":"` + raw + `","b":["` + `\"c","",7]}`
				want := `{"a":"` + kept(raw) + `","b":["` + `\"c","",7]}`
				for _, at := range []int{6 + n + 1, 6 + n + len(escape)} {
					var s shortener
					s.write([]byte(document[:at]))
					s.write([]byte(document[at:]))
					if string(s.out) != want || s.over {
						t.Fatalf("%d x, %s, %s, cut at %d: …%s, want …%s", n, escape, tail, at, s.out[max(0, len(s.out)-60):], want[max(0, len(want)-60):])
					}
				}
				if !json.Valid([]byte(want)) {
					t.Fatalf("%d x, %s, %s: what is kept is not a document", n, escape, tail)
				}
			}
		}
	}
	var s shortener
	s.write(bytes.Repeat([]byte("1"), maxLine))
	s.write([]byte("2"))
	if s.over || len(s.out) != maxLine+1 {
		t.Errorf("%d bytes are kept", len(s.out))
	}
	if s.write([]byte("3")); !s.over {
		t.Error("a document beyond the limit was kept")
	}
}

func TestHashEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(content string) string {
		path := filepath.Join(dir, fmt.Sprint(len(content), content[:1]))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := strings.Repeat("a", markBytes)
	long := first + strings.Repeat("b", 100) + strings.Repeat("c", markBytes)
	path := file(long)
	hash := HashEnds(path, int64(len(long)))
	if hash < 0 || HashEnds(file(long+"grown"), int64(len(long))) != hash {
		t.Error("a file that grew has another hash")
	}
	for name, other := range map[string]string{"beginning": "x" + long[1:], "end": long[:len(long)-1] + "x", "end of the first part": long[:markBytes-1] + "x" + long[markBytes:], "beginning of the last part": long[:markBytes+100] + "x" + long[markBytes+101:]} {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if HashEnds(at, int64(len(long))) == hash {
			t.Errorf("another %s has the same hash", name)
		}
	}
	if none := HashEnds(path, 0); none < 0 || none == hash || none != HashEnds(filepath.Join(dir, "none"), 0) {
		t.Error("nothing has no hash of its own")
	}
	if HashEnds(filepath.Join(dir, "none"), 1) != -1 || HashEnds(dir, 1) != -1 {
		t.Error("a file that cannot be read has a hash")
	}
}
