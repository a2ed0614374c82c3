package memoryfile

import "testing"

// Addresses of links are read decoded, and written encoded.
func TestLinkedReferences(t *testing.T) {
	t.Parallel()
	for src, c := range map[string]struct{ path, moved string }{
		"See [it](src/my%20dir/a.go#L4).\n":           {"src/my dir/a.go", "See [it](lib/x%20y.go#L9).\n"},
		"See [it](</src/a b.go#L4C2-L5C1>).\n":        {"src/a b.go", "See [it](</lib/x%20y.go#L9C2-L9C1>).\n"},
		"See [it](src/a%23b%28c%29.go#L4-L5).\n":      {"src/a#b(c).go", "See [it](lib/x%20y.go#L9-L9).\n"},
		"See `src/my dir/x c.go:4` and `cat b.go`.\n": {"src/my dir/x c.go", "See `lib/x y.go:9` and `cat b.go`.\n"},
		"See `src/a,b.go:4`.\n":                       {"src/a,b.go", "See `lib/x y.go:9`.\n"},
		"Run `cat src/b.go:4`.\n":                     {"src/b.go", ""},
	} {
		m := Parse([]byte(src), All)
		if len(m.References) != 1 || m.References[0].Path != c.path || m.References[0].Line != 4 {
			t.Errorf("%q: %+v", src, m.References)
			continue
		}
		e := m.Edit()
		err := e.Move(m.References[0], Place{Path: "lib/x y.go", Line: 9})
		if got := string(e.Bytes()); err == nil && got != c.moved || (err == nil) != (c.moved != "") {
			t.Errorf("%q becomes %q (%v), want %q", src, got, err, c.moved)
		}
	}
	m := Parse([]byte("[cite:a](/src/a%20b.go#L4C1-L6C2)\n"), All)
	if len(m.Citations) != 1 || m.Citations[0].Path != "src/a b.go" || m.Citations[0].Line != 4 || m.Citations[0].EndLine != 6 || len(m.Problems) != 0 {
		t.Errorf("a cite link: %+v, %v", m.Citations, m.Problems)
	}
}
