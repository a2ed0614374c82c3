// Package linemap maps the lines of one text to the lines of another.
//
// It compares numbers that stand for lines, does no input or output, and keeps
// no state, so it is safe for concurrent use.
package linemap

import "slices"

// Map maps the lines of an old text to those of a new one.
type Map struct {
	// To has, for each old line, its new line, or -1 when it was deleted or changed; From has the same for each new line, -1 when it is
	// new.
	To, From []int
}

// Text is the lines of a text.
type Text struct {
	// Lines has equal numbers for lines that count as equal, Exact for lines that are equal byte by byte, which are preferred when there is
	// a choice.
	Lines, Exact []uint64
	// Indents has the indentation of each line, -1 for a blank one, and Weights how distinctive it is. Both only decide where a changed
	// stretch begins and ends when its first lines equal the lines behind it.
	Indents []int
	Weights []int
}

// New maps old to new. The map is increasing: text that was moved is deleted
// here and new there.
func New(old, new Text) *Map {
	m := &Map{To: unmapped(len(old.Lines)), From: unmapped(len(new.Lines))}
	d := &differ{old: old.Lines, new: new.Lines, oldExact: old.Exact, newExact: new.Exact, m: m}
	d.diff(span{0, len(old.Lines), 0, len(new.Lines)})
	slide(new, m.From, m.To)
	slide(old, m.To, m.From)
	return m
}

func unmapped(n int) []int { return slices.Repeat([]int{-1}, n) }

// Gap returns the new lines from first up to (not including) after at the place of old line i: between the new lines of its nearest mapped
// neighbours.
func (m *Map) Gap(i int) (first, after int) {
	after = len(m.From)
	for k := i - 1; k >= 0; k-- {
		if m.To[k] >= 0 {
			first = m.To[k] + 1
			break
		}
	}
	for k := i + 1; k < len(m.To); k++ {
		if m.To[k] >= 0 {
			after = m.To[k]
			break
		}
	}
	return first, after
}

// span is a stretch of old lines beside one of new lines, ends not included.
type span struct{ o0, o1, n0, n1 int }

type differ struct {
	old, new           []uint64
	oldExact, newExact []uint64
	m                  *Map
}

func (d *differ) pair(o, n int) { d.m.To[o], d.m.From[n] = n, o }

// diff maps the equal lines of s. It looks for the stretch of equal lines that is rarest in the old text. That is a better landmark than
// the longest chain of common lines, since braces and blank lines are everywhere.
func (d *differ) diff(s span) {
	for {
		s = d.trim(s, d.oldExact, d.newExact)
		if s.o0 == s.o1 || s.n0 == s.n1 {
			return
		}
		best, common := d.landmark(s)
		if best.o0 == best.o1 {
			if common {
				d.frequent(d.trim(s, d.old, d.new))
			}
			return
		}
		for k := range best.o1 - best.o0 {
			d.pair(best.o0+k, best.n0+k)
		}
		d.diff(span{s.o0, best.o0, s.n0, best.n0})
		s.o0, s.n0 = best.o1, best.n1
	}
}

// trim maps the equal lines at both ends of s and returns the rest between them.
func (d *differ) trim(s span, old, new []uint64) span {
	for s.o0 < s.o1 && s.n0 < s.n1 && old[s.o0] == new[s.n0] {
		d.pair(s.o0, s.n0)
		s.o0, s.n0 = s.o0+1, s.n0+1
	}
	for s.o0 < s.o1 && s.n0 < s.n1 && old[s.o1-1] == new[s.n1-1] {
		s.o1, s.n1 = s.o1-1, s.n1-1
		d.pair(s.o1, s.n1)
	}
	return s
}

// maxCount is the number of occurrences from which a line is not a landmark.
const maxCount = 64

// landmark finds the stretch of equal lines with the rarest line; among equals, the one with the most lines equal byte by byte, then the
// longest. common reports whether there are equal lines at all, even if only frequent ones.
func (d *differ) landmark(s span) (best span, common bool) {
	places := make(map[uint64][]int32, s.o1-s.o0)
	for o := s.o0; o < s.o1; o++ {
		places[d.old[o]] = append(places[d.old[o]], int32(o))
	}
	rarest, exactest := maxCount+1, 0
	for n := s.n0; n < s.n1; {
		next := n + 1
		at := places[d.new[n]]
		if len(at) == 0 || len(at) > maxCount {
			common = common || len(at) > 0
			n = next
			continue
		}
		common = true
		if len(at) > rarest {
			n = next
			continue
		}
		passed := -1
		for _, o32 := range at {
			o := int(o32)
			if o < passed {
				continue // inside the stretch just examined
			}
			r := span{o, o + 1, n, n + 1}
			count := len(at)
			for r.o0 > s.o0 && r.n0 > s.n0 && d.old[r.o0-1] == d.new[r.n0-1] {
				r.o0, r.n0 = r.o0-1, r.n0-1
				count = min(count, len(places[d.old[r.o0]]))
			}
			for r.o1 < s.o1 && r.n1 < s.n1 && d.old[r.o1] == d.new[r.n1] {
				count = min(count, len(places[d.old[r.o1]]))
				r.o1, r.n1 = r.o1+1, r.n1+1
			}
			passed = r.o1
			next = max(next, r.n1)
			exact := 0
			for k := range r.o1 - r.o0 {
				if d.oldExact[r.o0+k] == d.newExact[r.n0+k] {
					exact++
				}
			}
			if count < rarest || count == rarest && (exact > exactest || exact == exactest && r.o1-r.o0 > best.o1-best.o0) {
				best, rarest, exactest = r, count, exact
			}
		}
		n = next
	}
	return best, common
}

// maxTable bounds the table of frequent, in cells.
const maxTable = 1 << 20

// frequent maps lines that are all frequent, by the longest common subsequence. When that would take too long, they stay unmapped.
func (d *differ) frequent(s span) {
	rows, cols := s.o1-s.o0, s.n1-s.n0
	if rows > maxTable/(cols+1)-1 {
		return
	}
	length := make([]int32, (rows+1)*(cols+1))
	for o := rows - 1; o >= 0; o-- {
		for n := cols - 1; n >= 0; n-- {
			at := o*(cols+1) + n
			if d.old[s.o0+o] == d.new[s.n0+n] {
				length[at] = length[at+cols+2] + 1
			} else {
				length[at] = max(length[at+1], length[at+cols+1])
			}
		}
	}
	for o, n := 0, 0; o < rows && n < cols; {
		at := o*(cols+1) + n
		switch {
		case d.old[s.o0+o] == d.new[s.n0+n]:
			d.pair(s.o0+o, s.n0+n)
			o, n = o+1, n+1
		case length[at+1] >= length[at+cols+1]:
			n++
		default:
			o++
		}
	}
}

// Apart returns the map of two texts of that many lines that share none.
func Apart(old, new int) *Map { return &Map{To: unmapped(old), From: unmapped(new)} }
