package memory

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
)

// vector is what a text means, a byte a number: its direction alone counts, so that the
// largest number becomes 127 and the others what they are beside it. Rounding costs less
// than a hundredth of a similarity.
type vector []int8

// quantize makes a vector of a model's numbers. It refuses none at all, and those that
// are not numbers or all zero, which have no direction.
func quantize(numbers []float32) (vector, error) {
	most := 0.0
	for _, n := range numbers {
		most = max(most, math.Abs(float64(n))) // NaN stays
	}
	if most == 0 || math.IsNaN(most) || math.IsInf(most, 0) {
		return nil, fault.Provider(nil, "the model answered numbers that have no direction")
	}
	v := make(vector, len(numbers))
	for i, n := range numbers {
		v[i] = int8(math.RoundToEven(float64(n) / most * math.MaxInt8))
	}
	return v, nil
}

// length is the Euclidean norm.
func (v vector) length() float64 {
	sum := int32(0)
	for _, n := range v {
		sum += int32(n) * int32(n)
	}
	return math.Sqrt(float64(sum))
}

// product returns the inner product of v and bytes, a stored vector of the same length.
// Four sums at once keep a core busy.
func (v vector) product(bytes []byte) int32 {
	var sums [4]int32
	for len(v) >= 4 && len(bytes) >= 4 {
		sums[0] += int32(v[0]) * int32(int8(bytes[0])) //nolint:gosec // written by add
		sums[1] += int32(v[1]) * int32(int8(bytes[1])) //nolint:gosec
		sums[2] += int32(v[2]) * int32(int8(bytes[2])) //nolint:gosec
		sums[3] += int32(v[3]) * int32(int8(bytes[3])) //nolint:gosec
		v, bytes = v[4:], bytes[4:]
	}
	for i, n := range v {
		sums[0] += int32(n) * int32(int8(bytes[i])) //nolint:gosec
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}

// packed are vectors and the memories they are of, as a row keeps them.
type packed struct {
	id, stamp    int64 // of the row
	ids, vectors []byte
}

// idBytes are those of an id, and of the length of its vector.
const idBytes = 8 + 4

func (p *packed) len() int { return len(p.ids) / idBytes }

func (p *packed) memory(i int) int64 {
	return int64(binary.LittleEndian.Uint64(p.ids[i*idBytes:])) //nolint:gosec // written by add
}

// length is that of the vector of place i.
func (p *packed) length(i int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(p.ids[i*idBytes+8:])))
}

func (p *packed) add(memory int64, v vector) {
	p.ids = binary.LittleEndian.AppendUint64(p.ids, uint64(memory)) //nolint:gosec // read by memory
	p.ids = binary.LittleEndian.AppendUint32(p.ids, math.Float32bits(float32(v.length())))
	for _, n := range v {
		p.vectors = append(p.vectors, byte(n))
	}
}

// remove takes a memory out, and reports whether it was there.
func (p *packed) remove(memory int64) bool {
	for i := range p.len() {
		if p.memory(i) == memory {
			size := len(p.vectors) / p.len()
			p.ids = slices.Delete(p.ids, i*idBytes, (i+1)*idBytes)
			p.vectors = slices.Delete(p.vectors, i*size, (i+1)*size)
			return true
		}
	}
	return false
}

// likeness is how near a memory comes to a question.
type likeness struct {
	id         int64
	similarity float64 // cosine, -1 to 1
	apart      float64 // standard deviations above the mean of all memories compared
}

// nearest keeps the best of all vectors that a question is compared with, and what is
// usual among them: models differ in what they call similar, so that a memory is near
// only as far as it stands out.
type nearest struct {
	most         int
	best         []likeness // the best first
	n            int
	sum, squares float64
}

func (near *nearest) compare(v vector, length float64, p *packed) {
	for i := range p.len() {
		similarity := float64(v.product(p.vectors[i*len(v):(i+1)*len(v)])) / (length * p.length(i))
		near.n++
		near.sum += similarity
		near.squares += similarity * similarity
		if len(near.best) == near.most && similarity <= near.best[near.most-1].similarity {
			continue
		}
		near.keep(likeness{id: p.memory(i), similarity: similarity})
	}
}

func (near *nearest) keep(a likeness) {
	at, _ := slices.BinarySearchFunc(near.best, a, func(kept, a likeness) int {
		if kept.similarity >= a.similarity {
			return -1
		}
		return 1
	})
	near.best = slices.Insert(near.best, at, a)
	near.best = near.best[:min(len(near.best), near.most)]
}

// ranked are the best with how far they stand out.
func (near *nearest) ranked() []likeness {
	n := float64(max(near.n, 1))
	mean := near.sum / n
	deviation := math.Sqrt(max(near.squares/n-mean*mean, 0))
	for i := range near.best {
		if deviation > 0 {
			near.best[i].apart = (near.best[i].similarity - mean) / deviation
		}
	}
	return near.best
}
