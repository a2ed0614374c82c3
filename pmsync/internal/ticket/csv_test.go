package ticket

import (
	"slices"
	"strings"
	"testing"
)

// A cell and a list survive a round trip through CSV, and no cell is a formula.
func FuzzCells(f *testing.F) {
	for _, seed := range [][3]string{{"=1+1", "a, b", "c"}, {"'=x", `say "hi"`, ";"}, {"''@x", "-", ""}, {"'tis", "a\nb", `"`}, {"＝x", `"a`, `b"`}} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, cell, one, two string) {
		plain := plainCell(cell)
		if isFormula(plain) {
			t.Errorf("%q is exported as the formula %q", cell, plain)
		}
		if got := typedCell(plain); got != cell {
			t.Errorf("%q comes back as %q", cell, got)
		}
		var want []string
		for _, label := range []string{one, two} {
			if label = line(label, maxShort); label != "" {
				want = append(want, label)
			}
		}
		if got := list(cellOf(want)); !slices.Equal(got, want) {
			t.Errorf("%q come back as %q", want, got)
		}
	})
}

// Lists in other tools' exports are split as well.
func TestListsOfOthers(t *testing.T) {
	for cell, want := range map[string]string{"a,b; c\nd": "a|b|c|d", "": "", " , ,": "", `"a, b",c`: "a, b|c", `12" disk, x`: `12" disk|x`, `"open`: `"open`} {
		if got := strings.Join(list(cell), "|"); got != want {
			t.Errorf("%q is read as %q, not %q", cell, got, want)
		}
	}
}
