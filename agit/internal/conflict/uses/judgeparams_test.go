package uses

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// list makes parameters from their texts as the tokeniser joins them; "?" at the end marks an optional one.
func list(texts ...string) (all []param) {
	for _, text := range texts {
		p := param{text: text}
		if last := len(text) - 1; text[last] == '?' {
			p.text, p.optional = text[:last], true
		}
		for i := range p.text {
			if p.text[i] == ' ' {
				break
			}
			p.name = p.text[:i+1]
		}
		all = append(all, p)
	}
	return all
}

// TestFits has calls with a number of arguments, and the parameters of the called functions.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		params      []param
		least, most int // number of arguments that fit; most is -1 when there is no limit
	}{
		{"none", nil, 0, 0},
		{"two", list("a", "b"), 2, 2},
		{"one with a default", list("a", "b?"), 1, 2},
		{"the rest, of Python", list("a", "* args?"), 1, -1},
		{"a pointer, not the rest", list("p * T"), 1, 1},
		{"the rest, of Go", list("a int", "more . . . string?"), 1, -1},
		{"the rest, of Java, before it is known as optional", list("String ... more"), 1, -1},
		{"a name with a dot", list("r io . Reader"), 1, 1},
	} {
		for args := range 6 {
			want := args >= c.least && (c.most < 0 || args <= c.most)
			if got := fits(c.params, &use{args: args}); got != want {
				t.Errorf("%s: %d arguments fit: %v, want %v", c.name, args, got, want)
			}
		}
	}
}

// TestBreaks has a call that fitted before, and the parameters before and now.
func TestBreaks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		file        string
		before, now []param
		args        int
		named       []string
		want        bool
	}{
		{"one more, with a default", "a.py", list("a"), list("a", "b?"), 1, nil, false},
		{"one more", "a.py", list("a"), list("a", "b"), 1, nil, true},
		{"renamed", "a.py", list("a"), list("c"), 1, nil, false},
		{"renamed, and given by its name", "a.py", list("a"), list("c"), 1, []string{"a"}, true},
		{"a name that none had", "a.py", list("a", "b"), list("a", "c"), 2, []string{"x"}, false},
		{"a name that both have", "a.py", list("a", "b"), list("a", "b"), 2, []string{"a"}, false},
		{"renamed, where names are not given", "a.js", list("a"), list("c"), 1, []string{"a"}, false},
		{"in another order", "a.py", list("a", "b"), list("b", "a"), 2, nil, true},
		{"in another order behind the arguments", "a.py", list("a", "b?", "c?"), list("a", "c?", "b?"), 1, nil, false},
		{"another type", "a.go", list("a int"), list("a string"), 1, nil, true},
		{"the same type, another name", "a.go", list("a int"), list("b int"), 1, nil, false},
		{"another type behind the arguments", "a.ts", list("a : string", "b : string?"), list("a : string", "b : number?"), 1, nil, false},
		{"another type, of TypeScript", "a.ts", list("a : string"), list("a : number"), 1, nil, true},
	} {
		r := &reshaped{file: &changed{now: &parsed{lang: languageOf(c.file)}}}
		r.before.params, r.now.params = c.before, c.now
		if got := r.breaks(&use{args: c.args, named: c.named}); got != c.want {
			t.Errorf("%s: breaks %v, want %v", c.name, got, c.want)
		}
	}
}

// TestTypes has the types of parameters as each language writes them.
func TestTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file   string
		params []param
		want   []string
	}{
		{"a.go", list("a", "b int", "c * T"), []string{"int", "int", "* T"}},
		{"a.go", list("int", "string"), []string{"int", "string"}},
		{"a.go", list("* T", "io . Reader", "[ ] byte"), []string{"* T", "io . Reader", "[ ] byte"}},
		{"a.java", list("final int a", "List < String > b"), []string{"int", "List < String >"}},
		{"a.c", list("const char * s", "void"), []string{"char *", "void"}},
		{"a.rs", list("a : & str", "b : u8"), []string{"& str", "u8"}},
		{"a.rs", list("a : & str", "self"), nil},
		{"a.py", list("a : int"), nil},
		{"a.js", list("a"), nil},
	} {
		if diff := cmp.Diff(c.want, types(languageOf(c.file), c.params)); diff != "" {
			t.Errorf("%s, %v (-want +got):\n%s", c.file, c.params, diff)
		}
	}
}
