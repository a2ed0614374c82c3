package textfile_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/textfile"
)

const surrounded = "func a() {\n\n\tif b {\n\t\treturn nil\n\t}\n\n\treturn c\n}\n"

func TestSurroundings(t *testing.T) {
	s := textfile.Parse([]byte(surrounded)).Around(3, 3)
	if len(s.Above) != 2 || len(s.Below) != 3 {
		t.Fatalf("%d lines above and %d below", len(s.Above), len(s.Below))
	}
	if kept := textfile.ParseSurroundings(s.String()); !reflect.DeepEqual(kept, s) {
		t.Errorf("%+v was kept as %q and is %+v", s, s, kept)
	}
	spaced := strings.ReplaceAll(strings.ReplaceAll(surrounded, "\n", "\r\n\r\n"), "\t", "   ")
	if other := textfile.Parse([]byte(spaced)).Around(6, 6); !reflect.DeepEqual(other, s) {
		t.Errorf("white space makes %+v of %+v", other, s)
	}
	if s.Above[0] != textfile.Parse([]byte("if b {")).Marks()[0] {
		t.Error("the nearest line is not the first")
	}
	// Stored surroundings are read by other versions of the program, so the format must not change.
	const kept = "s982tk|xAMPz6xAM|s982tk"
	if s.String() != kept {
		t.Errorf("the surroundings are kept as %q, they were %q", s, kept)
	}
	if none := textfile.Parse([]byte("a")).Around(0, 0); !none.Empty() || none.String() != "" {
		t.Errorf("a line alone has surroundings: %+v", none)
	}
}

// A line that ends a block is enclosed by the line that begins it, which tells two such lines apart.
func TestEnclosing(t *testing.T) {
	f := textfile.Parse([]byte("class A\n  def b(\n    c,\n    d\n  )\n    if e\n      f\n    end\n  end\nend\ng {\n}\n}\nvoid h()\n{\n  i\n}\n"))
	for line, want := range map[int][]int{
		6:  {5, 4, 1, 0}, // f
		7:  {5, 4, 1, 0}, // the if's end
		8:  {4, 1, 0},    // the method's end
		9:  {0},
		11: nil, // nothing is indented above it
		12: nil,
		15: {14, 13}, // i, in a block with a line for its brace
		16: {14, 13},
	} {
		if got := f.Enclosing(line); !slices.Equal(got, want) {
			t.Errorf("line %d is enclosed by %v, want %v", line, got, want)
		}
	}
}

// Stored surroundings reveal nothing of lines that hold secrets, even when a line is known to be secret only by the lines before it.
func TestSurroundingsHideSecrets(t *testing.T) {
	key := strings.Repeat("MIIEpAIBAAKCAQEA7bq3Vn2c0xQm1yT8\n", textfile.Surrounding)
	text := "a := 1\npassword = \"hunter2-Xk93mQ-correct\"\ncited()\n-----BEGIN RSA PRIVATE KEY-----\n" + key + "-----END RSA PRIVATE KEY-----\nz := 1\n"
	f := textfile.Parse([]byte(text))
	s := f.Discreet(2, 2)
	if len(s.Above) != 2 || s.Above[0] != textfile.Hidden || s.Above[1] == textfile.Hidden {
		t.Errorf("above: %v", s.Above)
	}
	for i, m := range s.Below {
		if m != textfile.Hidden {
			t.Errorf("line %d of the key is marked %v", i, m)
		}
	}
	if !reflect.DeepEqual(textfile.ParseSurroundings(s.String()), s) {
		t.Error("hidden lines are lost when they are kept")
	}
}

func FuzzParseSurroundings(f *testing.F) {
	for _, kept := range []string{"", "||", "V6o|H_o|", "V6oVOJ||H_o", "V6||", "V6o|H_o", "ä||", strings.Repeat("V6o", 65) + "||"} {
		f.Add(kept)
	}
	f.Fuzz(func(t *testing.T, kept string) {
		s := textfile.ParseSurroundings(kept)
		if !s.Empty() && s.String() != kept {
			t.Fatalf("%q was read as %+v and is %q", kept, s, s)
		}
	})
}

func TestLast(t *testing.T) {
	f := textfile.Parse([]byte(surrounded))
	for _, test := range []struct{ line, more, want int }{{0, 0, 0}, {0, 1, 2}, {2, 3, 6}, {6, 9, 7}} {
		if got := f.Last(test.line, test.more); got != test.want {
			t.Errorf("a text at %d with %d more lines ends at %d, want %d", test.line, test.more, got, test.want)
		}
	}
}
