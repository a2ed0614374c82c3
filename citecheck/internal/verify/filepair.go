package verify

import (
	"github.com/agit-suite/agit/citecheck/internal/verify/linemap"
	"github.com/agit-suite/agit/shared/textfile"
)

// filePair is a file at two points in time.
type filePair struct {
	old, new *textfile.File
	m        *linemap.Map
	shared   float64 // see share; 0 when not counted
}

func newFilePair(old, new *textfile.File) *filePair {
	return &filePair{old: old, new: new, m: linemap.New(shape(old), shape(new))}
}

func shape(f *textfile.File) linemap.Text {
	return linemap.Text{Lines: f.Hashes(), Exact: f.Exact(), Indents: f.Indents(), Weights: f.Weights()}
}

// nearby is how many lines on each side count as surroundings.
const nearby = 4

// neighbours returns up to nearby lines of f before (step -1) or after (step 1) line i that are not blank.
func neighbours(f *textfile.File, i, step, count int) (lines []int) {
	for k := i + step; k >= 0 && k < f.Len() && len(lines) < count; k += step {
		if !f.Blank(k) {
			lines = append(lines, k)
		}
	}
	return lines
}

func lineWeight(f *textfile.File, i int) int {
	return min(f.Weights()[i], maxWeight)
}

// maxWeight caps the weight of a line: more letters do not make it more distinctive.
const maxWeight = 30

// around returns the share, by weight, of old line o's surroundings that new line n has too.
func (p *filePair) around(o, n int) float64 {
	total, found := 0, 0
	for _, step := range []int{-1, 1} {
		here := map[uint64]int{}
		for _, k := range neighbours(p.new, n, step, 2*nearby) {
			here[p.new.Hashes()[k]]++
		}
		for distance, k := range neighbours(p.old, o, step, nearby) {
			weight := (1 + lineWeight(p.old, k)) * (nearby - distance)
			total += weight
			if h := p.old.Hashes()[k]; here[h] > 0 {
				here[h]--
				found += weight
			}
		}
	}
	if total == 0 {
		return 0
	}
	return float64(found) / float64(total)
}

// run returns the weight of the unbroken run of equal lines around old line o and new line n, without these two; blank lines are skipped.
func (p *filePair) run(o, n int) int { return p.side(o, n, -1) + p.side(o, n, 1) }

// side is the part of run that stands before (step -1) or after (step 1) them.
func (p *filePair) side(o, n, step int) (weight int) {
	before, here := neighbours(p.old, o, step, runLength), neighbours(p.new, n, step, runLength)
	for k := range min(len(before), len(here)) {
		if p.old.Hashes()[before[k]] != p.new.Hashes()[here[k]] {
			break
		}
		weight += 1 + lineWeight(p.old, before[k])
	}
	if len(before) == 0 && len(here) == 0 {
		weight = telling // both stand at the file's end
	}
	return weight
}

// runLength bounds the lines that run looks at on each side.
const runLength = 12
