package verify

import (
	"context"

	"github.com/agit-suite/agit/shared/textfile"
)

// aroundNamed is how many lines on each side of a place may contain the names that describe it.
const aroundNamed = 30

// NamedElsewhere returns, as a clause, where the first of some names of code is in the file at path, when none of the names is close to the
// lines from line to end (0: only line) or begins a block around them: then the names describe another place. It returns "" when nothing
// speaks against the place.
func (c *Checker) NamedElsewhere(ctx context.Context, p string, line, end int, names []string) (string, error) {
	if len(names) == 0 || line < 1 {
		return "", nil
	}
	f, err := c.textFile(ctx, p)
	if err != nil || f == nil || line > f.Len() {
		return "", err
	}
	first, last := line-1-aroundNamed, max(line, end)-1+aroundNamed
	around := map[int]bool{}
	for _, k := range f.Enclosing(line - 1) {
		around[k] = true
	}
	where := ""
	for _, name := range names {
		at := linesWith(f, name)
		for _, k := range at {
			if k >= first && k <= last || around[k] {
				return "", nil
			}
		}
		if where == "" && len(at) > 0 {
			where = name + " is at " + linesNamed(at)
		}
	}
	return where, nil
}

// linesWith returns the lines of f that contain a name as a whole word.
func linesWith(f *textfile.File, name string) (lines []int) {
	f.Containing([]byte(name), func(i int) bool {
		if holds(f.Line(i), []byte(name), false, false, false) {
			lines = append(lines, i)
		}
		return true
	})
	return lines
}
