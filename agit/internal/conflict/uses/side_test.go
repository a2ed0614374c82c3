package uses

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lastUse returns the last use of a name in a file that a side added.
func lastUse(t *testing.T, file, text, name string) *use {
	t.Helper()
	all := NewSide([]File{{Path: file, Now: text}}).uses[key{languageOf(file).group, name}]
	if len(all) == 0 {
		t.Fatalf("no use of %s in %s", name, text)
	}
	return all[len(all)-1]
}

// TestArguments has calls, the number of their arguments and the names by which some are passed. A call whose number of arguments
// depends on a value has -2, what is not a call has -1.
func TestArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text string
		args       int
		named      []string
	}{
		{"a.py", "total", -1, nil},
		{"a.py", "total(a", -1, nil},
		{"a.py", "total()", 0, nil},
		{"a.py", "total(1)", 1, nil},
		{"a.py", "total(1, 2)", 2, nil},
		{"a.py", "total(1, 2,)", 2, nil},
		{"a.py", "total(a, b, c)", 3, nil},
		{"a.py", "total(one(1, 2), [3, 4], {5: 6, 7: 8}, 9)", 4, nil},
		{"a.py", "total(a, unit=1, rate = one(inner=2))", 3, []string{"unit", "rate"}},
		{"a.py", "total(2 * 3)", 1, nil},
		{"a.py", "total(a.b)", 1, nil},
		{"a.py", "total(*all)", -2, nil},
		{"a.py", "total(a, *all)", -2, nil},
		{"a.py", "total(one(*all))", 1, nil},
		{"a.py", "total(one(a, *all), b)", 2, nil},
		{"a.js", "total(...all)", -2, nil},
		{"a.js", "total(`${a, b}`, c)", 2, nil},
		{"a.go", "package a\n\nvar x = total(all...)\n", -2, nil},
		{"a.go", "package a\n\nvar x = total[int](a.B, c)\n", 2, nil},
		{"a.ts", "total<A>(a, b)", 2, nil},
		{"a.rs", "total::<A>(a)", 1, nil},
	} {
		u := lastUse(t, c.file, c.text, "total")
		if u.args != c.args {
			t.Errorf("%s: %d arguments, want %d", c.text, u.args, c.args)
		}
		if diff := cmp.Diff(c.named, u.named); diff != "" {
			t.Errorf("%s: names (-want +got):\n%s", c.text, diff)
		}
	}
}

// TestNewNames has a definition that a side removed from a file, the texts that it made of it, and the new name it is taken to have.
func TestNewNames(t *testing.T) {
	t.Parallel()
	price := "def price(n):\n    return n * 3\n"
	for _, c := range []struct {
		name string
		base files
		set  files
		want string
	}{
		{"an equal body, in another file", files{"a.py": price}, files{"a.py": "", "b.py": "def sum_of(n):\n    return n * 3\n"}, "sum_of"},
		{"an equal body behind others of its kind", files{"a.py": price}, files{"a.py": "", "b.py": "class Cart: pass\ndef first(n):\n    return 1\ndef sum_of(n):\n    return n * 3\n"}, "sum_of"},
		{"an equal body before a name that is alike", files{"a.py": price}, files{"a.py": "def unit_price(n):\n    return n * 4\ndef sum_of(n):\n    return n * 3\n"}, "sum_of"},
		{"a name that is alike, in the same file", files{"a.py": price}, files{"a.py": "def unit_price(n):\n    return n * 4\n"}, "unit_price"},
		{"a name that is alike, behind one with other parameters", files{"a.py": price}, files{"a.py": "def list_price(n, m):\n    return n\ndef unit_price(n):\n    return n * 4\n"}, "unit_price"},
		{"a name that is alike, in another file", files{"a.py": price}, files{"a.py": "", "b.py": "def unit_price(n):\n    return n * 4\n"}, ""},
		{"a name that is alike, in another scope", files{"a.py": price}, files{"a.py": "def outer():\n    def unit_price(n):\n        return n * 4\n"}, ""},
		{"a name that is alike, with other parameters", files{"a.py": price}, files{"a.py": "def unit_price(n, m):\n    return n * 4\n"}, ""},
		{"a name that is alike, of another kind", files{"a.py": price}, files{"a.py": "class UnitPrice:\n    pass\n"}, ""},
		{"a name of another language", files{"a.py": price}, files{"a.py": "", "b.rb": "def unit_price(n)\n  n * 3\nend\n"}, ""},
		{"another name", files{"a.py": price}, files{"a.py": "def total(n):\n    return n * 4\n"}, ""},
		{"two names that are alike", files{"a.py": price}, files{"a.py": "def unit_price(n):\n    return n * 4\ndef list_price(n):\n    return n * 5\n"}, ""},
		{"three names that are alike", files{"a.py": price}, files{"a.py": "def unit_price(n):\n    return n * 4\ndef list_price(n):\n    return n * 5\ndef full_price(n):\n    return n * 6\n"}, ""},
		{"bodies too short to compare", files{"a.py": "price = 3\n"}, files{"a.py": "", "b.py": "total = 3\n"}, ""},
	} {
		s, _ := side(c.base, c.set)
		all := s.gone[key{"python", "price"}]
		if len(all) != 1 {
			t.Fatalf("%s: %d definitions are gone, want 1", c.name, len(all))
		}
		if all[0].to != c.want {
			t.Errorf("%s: it is now %q, want %q", c.name, all[0].to, c.want)
		}
		if near := all[0].near; c.want != "" && !strings.Contains(strings.Split(c.set[near.file], "\n")[near.line-1], c.want) {
			t.Errorf("%s: %s is not on line %d of %s", c.name, c.want, near.line, near.file)
		}
	}
}

// Of two equal definitions that a side added, the one in the file that comes first by name is the new one, in every run.
func TestNewNameOfTwo(t *testing.T) {
	t.Parallel()
	price := "def price(n):\n    return n * 3\n"
	for range 40 {
		s, _ := side(files{"a.py": price}, files{"a.py": "", "c.py": "def sum_c(n):\n    return n * 3\n", "b.py": "def sum_b(n):\n    return n * 3\n"})
		if g := s.gone[key{"python", "price"}][0]; g.to != "sum_b" || g.near.file != "b.py" {
			t.Fatalf("it is %q in %s", g.to, g.near.file)
		}
	}
}
