package verify

import (
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/textfile"
)

// fitting is how well the stored surroundings of a citation fit a place: the weight of the lines that are there in order, less the cost of
// removed and inserted lines. Places with similar values cannot be distinguished.
type fitting float64

const (
	// The cost of a line that only the surroundings have, and of a line that only the file has.
	missingLine = 1.0
	extraLine   = 0.4
	// halved is the distance in lines at which a line has half the weight of the nearest.
	halved = 8
	// plenty is the fit from which better surroundings add nothing for a line that is only similar to the cited one.
	plenty = 4 * distinctive
)

// fits returns how well the stored surroundings fit above line above and below line below, without these two.
func fits(f *textfile.File, s textfile.Surroundings, above, below int) fitting {
	return fitsSides(f, s, above, below).both()
}

// sidesFit is the fit of each side of a place.
type sidesFit struct{ above, below fitting }

func fitsSides(f *textfile.File, s textfile.Surroundings, above, below int) sidesFit {
	return sidesFit{fitsSide(f, s.Above, above, -1), fitsSide(f, s.Below, below, 1)}
}

func (s sidesFit) both() fitting { return s.above + s.below }

// contradicts reports whether one side of a place fits so much better than the same side of the best place that the surroundings may have
// been split: the lines above the text went with one place, the lines below with the other.
func (s sidesFit) contradicts(best sidesFit) bool {
	return max(s.above-best.above, s.below-best.below) > 3*telling
}

func fitsSide(f *textfile.File, marks []textfile.Mark, line, step int) fitting {
	near := neighbours(f, line, step, 2*len(marks)+4)
	if len(marks) == 0 {
		if len(near) == 0 {
			return telling // both stand at the file's end
		}
		return 0
	}
	all := f.Marks()
	best := fitting(0)
	row := make([]fitting, len(near)+1) // the best fit of the marks so far, up to each of the lines
	for k := range near {
		row[k+1] = row[k] - extraLine
	}
	for i, m := range marks {
		nearness := halved / (halved + fitting(i))
		diagonal := row[0]
		row[0] -= missingLine
		for k, n := range near {
			v := max(row[k+1]-missingLine, row[k]-extraLine)
			if m == textfile.Hidden {
				v = max(v, diagonal)
			} else if all[n] == m {
				v = max(v, diagonal+nearness*fitting(1+lineWeight(f, n)))
			}
			diagonal, row[k+1] = row[k+1], v
			best = max(best, v)
		}
	}
	return best
}

// standing is the judgement of a citation's surroundings on equal places.
type standing struct {
	line    int // the place that they distinguish from the others, else -1
	best    fitting
	removed bool  // they fit better without the text between them than around any place
	adrift  bool  // the neighbours of the cited line are not at that place
	rivals  []int // the places that fit about as well as the best
}

// surrounded compares the stored surroundings with equal places.
func surrounded(f *textfile.File, s textfile.Surroundings, places []int, more int) (st standing) {
	fit, sides := make([]fitting, len(places)), make([]sidesFit, len(places))
	best := 0
	for i, p := range places {
		sides[i] = fitsSides(f, s, p, f.Last(p, more))
		if fit[i] = sides[i].both(); fit[i] > fit[best] {
			best = i
		}
	}
	st.line, st.best = -1, fit[best]
	if without(f, s) > fit[best]+2*telling {
		st.removed = true
		return st
	}
	for i, p := range places {
		margin := fitting(telling)
		if max(p-places[best], places[best]-p) <= closeBy {
			margin = missingLine
		}
		if fit[best] < fit[i]+margin || sides[i].contradicts(sides[best]) {
			st.rivals = append(st.rivals, p)
		}
	}
	if len(st.rivals) > 1 {
		st.rivals = inside(f, s.Within, st.rivals)
	}
	switch {
	case fit[best] < enough(s):
		st.rivals = places
	case len(st.rivals) == 1 && len(places) > 1 && adrift(f, s, places[best], more) && (nearly(fit, best) || !sameBlock(f, s, places[best])):
		st.line, st.adrift, st.rivals = st.rivals[0], true, places
	case len(st.rivals) == 1:
		st.line = st.rivals[0]
	}
	return st
}

// nearly reports whether another place fits almost as well as the best.
func nearly(fit []fitting, best int) bool {
	return slices.ContainsFunc(fit, func(v fitting) bool { return v > 0.9*fit[best] && v != fit[best] })
}

// adrift reports whether a place of low weight has neither of the cited line's two neighbours, so that only lines further away support it.
func adrift(f *textfile.File, s textfile.Surroundings, place, more int) bool {
	return lineWeight(f, place) < 2*telling && !beside(f, s.Above, place, -1) && !beside(f, s.Below, f.Last(place, more), 1)
}

// beside reports whether the nearest of the marks is close to a line.
func beside(f *textfile.File, marks []textfile.Mark, line, step int) bool {
	near := neighbours(f, line, step, closest)
	if len(marks) == 0 || len(near) == 0 {
		return len(marks) == len(near) // both stand at the file's end
	}
	return slices.ContainsFunc(near, func(k int) bool { return f.Marks()[k] == marks[0] || marks[0] == textfile.Hidden })
}

// closest is how many lines on each side count as close to a line.
const closest = 3

// sameBlock reports whether a place is in a block that begins like the cited one's.
func sameBlock(f *textfile.File, s textfile.Surroundings, place int) bool {
	around := f.Enclosing(place)
	return len(around) > 0 && slices.Contains(s.Within, f.Marks()[around[0]])
}

// enough returns the fit that surroundings need to identify a place.
func enough(s textfile.Surroundings) fitting {
	return max(telling, distinctive*fitting(len(s.Above)+len(s.Below))/(2*textfile.Surrounding))
}

// untouched reports whether all stored surroundings are still around the lines from first to last, without other lines between.
func untouched(f *textfile.File, s textfile.Surroundings, first, last int) bool {
	now := f.Around(first, last)
	begins := func(now, then []textfile.Mark) bool {
		return len(then) <= len(now) && slices.EqualFunc(then, now[:len(then)], func(then, now textfile.Mark) bool {
			return then == now || then == textfile.Hidden
		})
	}
	return begins(now.Above, s.Above) && begins(now.Below, s.Below)
}

// inside returns the places with the most of the stored lines around their block, for functions or classes that differ only in how they
// begin.
func inside(f *textfile.File, within []textfile.Mark, places []int) (most []int) {
	best := 0
	for _, p := range places {
		n := 0
		for i, k := range f.Enclosing(p) {
			if slices.Contains(within, f.Marks()[k]) {
				n++
			} else if i == 0 && f.Ends(p) {
				break // it ends another block
			}
		}
		if n > best {
			best, most = n, nil
		}
		if n == best {
			most = append(most, p)
		}
	}
	return most
}

// closeBy is the distance in lines within which the lines between equal lines distinguish them.
const closeBy = 8

// keepAround computes the surroundings to store for a valid citation. When they are new, they must be searched for secrets, which takes the
// most time.
func (j *job) keepAround(f *textfile.File) {
	if !j.keeps || len(j.snippet.lines) == 0 {
		return
	}
	text := j.snippet
	if s, ok := text.shortened(); ok {
		text = s
	}
	for i := max(j.line(), 0); i <= j.end(); i++ {
		if text.at(f, i) == none {
			continue
		}
		last := f.Last(i, text.more())
		if j.result.Around = f.Around(i, last).String(); j.result.Around != j.c.Surroundings {
			j.result.Around = f.Discreet(i, last).String()
		}
		return
	}
}

// whereSurrounded chooses among places in other files by the citation's stored surroundings. When the cited file is gone, it prefers files
// of the same name. Among files with similar surroundings, it chooses the one whose path is most similar to the old one.
func (j *job) whereSurrounded(spots []textPlace, weight int) (best textPlace, ok bool) {
	if j.anchored || j.around().Empty() {
		return best, false
	}
	least := distinctive
	if weight >= telling && j.result.Verdict != Changed {
		least = max(telling, convincing-weight)
	}
	namesakes := those(spots, func(s textPlace) bool { return stem(s.path) == stem(j.path) })
	if j.absent && weight >= telling && len(namesakes) > 0 {
		spots, least = namesakes, 0
	}
	most := least
	for _, s := range spots {
		most = max(most, s.run)
	}
	kin := -1
	for _, s := range spots {
		if s.run < least || s.run <= most-max(telling, most/4) {
			continue
		}
		if k := kinship(s.path, j.path); k > kin {
			best, kin, ok = s, k, true
		} else if k == kin {
			ok = false
		}
	}
	return best, ok
}

// stem returns a file's name without its last ending.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// kinship returns how many parts, folders and name, two paths share in order.
func kinship(a, b string) int {
	one, other := strings.Split(a, "/"), strings.Split(b, "/")
	row := make([]int, len(other)+1)
	for _, x := range one {
		diagonal := 0
		for k, y := range other {
			v := max(row[k+1], row[k])
			if x == y {
				v = max(v, diagonal+1)
			}
			diagonal, row[k+1] = row[k+1], v
		}
	}
	return row[len(other)]
}

// without returns how well the surroundings fit where nothing is between them.
func without(f *textfile.File, s textfile.Surroundings) (best fitting) {
	if len(s.Above) == 0 || len(s.Below) == 0 {
		return 0
	}
	tried := 0
	for k, m := range f.Marks() {
		if tried < maxPlaces && (m == s.Above[0] || m == s.Below[0]) && m != textfile.Hidden {
			tried++
			if m == s.Above[0] {
				best = max(best, fits(f, s, k+1, k))
			} else {
				best = max(best, fits(f, s, k, k-1))
			}
		}
	}
	return best
}
