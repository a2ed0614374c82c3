package memory

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/agit-suite/agit/shared/fault"
)

// vector is the meaning of a text, one byte per number. Only its direction counts, so the largest number is scaled to 127 and the others in
// proportion. Rounding changes a similarity by less than a hundredth.
type vector []int8

// quantize makes a vector of a model's numbers. It refuses an empty list, and numbers that are NaN or all zero, which have no direction.
func quantize(numbers []float32) (vector, error) {
	most := 0.0
	for _, n := range numbers {
		most = max(most, math.Abs(float64(n))) // NaN propagates
	}
	if most == 0 || math.IsNaN(most) || math.IsInf(most, 0) {
		return nil, fault.Provider(nil, "the model answered with a vector of zeros or NaN")
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

// packed holds vectors and the ids of their memories, as stored in a row.
type packed struct {
	id, stamp    int64 // of the row
	ids, vectors []byte
}

// idBytes is the size of an id and the length of its vector.
const idBytes = 8 + 4

func (p *packed) len() int { return len(p.ids) / idBytes }

func (p *packed) memory(i int) int64 {
	return int64(binary.LittleEndian.Uint64(p.ids[i*idBytes:])) //nolint:gosec // written by add
}

// length returns the Euclidean norm of vector i.
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

// remove removes a memory, and reports whether it was in the row.
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

// likeness is the similarity of a memory to a question.
type likeness struct {
	id         int64
	similarity float64 // cosine, -1 to 1
	apart      float64 // standard deviations above the mean of all memories compared
}

// nearest keeps the most similar of all compared vectors, with the mean and deviation of all similarities: models differ in the values for
// similar texts, so a memory is near only if it stands out.
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

// ranked returns the best ones with how far they stand out.
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
