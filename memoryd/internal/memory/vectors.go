package memory

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
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

// vectorsInRow is how many vectors a row contains: enough that a question reads few rows, few enough that a change of one memory writes
// little.
const vectorsInRow = 128

// space is the model of the stored vectors, and how many numbers each has.
type space struct {
	model      string
	dimensions int
}

// spaceOf reads the space of the stored vectors; the zero value when there are none.
func spaceOf(tx *registry.Tx) (s space, err error) {
	err = tx.QueryRow(`SELECT model, dimensions FROM memory_vector_space WHERE id = 1`).Scan(&s.model, &s.dimensions)
	return s, orNone(err)
}

// moveTo makes s the space of the stored vectors. Vectors of another model are meaningless there, and are dropped.
func moveTo(tx *registry.Tx, s space) error {
	was, err := spaceOf(tx)
	if err != nil || was == s {
		return err
	}
	for _, statement := range []string{`DELETE FROM memory_vectors`, `DELETE FROM memory_embedded`, `DELETE FROM memory_vector_space`} {
		if err := tx.Do(statement); err != nil {
			return err
		}
	}
	return tx.Do(`INSERT INTO memory_vector_space (id, model, dimensions) VALUES (1, ?, ?)`, s.model, s.dimensions)
}

// unread returns current memories without a vector of their current text, the oldest first, up to limit.
func unread(tx *registry.Tx, limit int) ([]int64, error) {
	return registry.Collect(tx, registry.One[int64], `SELECT id FROM (
		SELECT m.id AS id FROM memory_embedded e CROSS JOIN memories m WHERE e.vectors_id = 0 AND m.id = e.memory_id AND `+live+`
		UNION SELECT m.id FROM memories m WHERE m.id > COALESCE((SELECT MAX(memory_id) FROM memory_embedded), 0) AND `+live+`
		) f ORDER BY id LIMIT ?`, limit)
}

// putVector stores the vector of a memory.
func putVector(tx *registry.Tx, m Memory, v vector) error {
	if err := dropVector(tx, m.RowID); err != nil {
		return err
	}
	var row packed
	err := orNone(tx.QueryRow(`SELECT id, ids, vectors FROM memory_vectors WHERE project_id = ? AND kept < ? ORDER BY id LIMIT 1`, m.ProjectID, vectorsInRow).
		Scan(&row.id, &row.ids, &row.vectors))
	if err != nil {
		return err
	}
	row.add(m.RowID, v)
	if row.id == 0 {
		if row.id, err = tx.Insert(`INSERT INTO memory_vectors (project_id, kept, stamp, ids, vectors) VALUES (?, 1, ?, ?, ?) RETURNING id`,
			m.ProjectID, newStamp(), row.ids, row.vectors); err != nil {
			return err
		}
	} else if err := row.write(tx); err != nil {
		return err
	}
	return embeddedIn(tx, m.RowID, row.id)
}

func (p *packed) write(tx *registry.Tx) error {
	return tx.Do(`UPDATE memory_vectors SET kept = ?, stamp = ?, ids = ?, vectors = ? WHERE id = ?`, p.len(), newStamp(), p.ids, p.vectors, p.id)
}

// newStamp distinguishes a row from its former versions, and from a deleted row with the same id.
func newStamp() int64 { return rand.Int64() } //nolint:gosec // it needs no secrecy

// dropVector removes a memory's vector, because its text changes or it is removed. If there are vectors at all, the memory is marked to be
// read again.
func dropVector(tx *registry.Tx, id int64) error {
	var last int64
	row := packed{}
	err := tx.QueryRow(`SELECT COALESCE((SELECT MAX(memory_id) FROM memory_embedded), 0),
		COALESCE((SELECT vectors_id FROM memory_embedded WHERE memory_id = ?), 0)`, id).Scan(&last, &row.id)
	if err != nil || id > last {
		return err // the model has not read it yet
	}
	if row.id != 0 {
		if err := tx.QueryRow(`SELECT ids, vectors FROM memory_vectors WHERE id = ?`, row.id).Scan(&row.ids, &row.vectors); err != nil {
			return err
		}
		row.remove(id)
		if err := row.write(tx); err != nil {
			return err
		}
	}
	return embeddedIn(tx, id, 0)
}

// embeddedIn notes the row that contains a memory's vector.
func embeddedIn(tx *registry.Tx, id, row int64) error {
	return tx.Do(`INSERT INTO memory_embedded (memory_id, vectors_id) VALUES (?, ?) ON CONFLICT (memory_id) DO UPDATE SET vectors_id = excluded.vectors_id`, id, row)
}

// vectorCache keeps rows of vectors between the questions to a server, since reading them takes three times as long as comparing them: some
// 43 MB for 100,000 memories. The zero value is ready; it is safe for concurrent use.
type vectorCache struct {
	mu   sync.Mutex
	rows map[int64]packed // by id
}

// load returns the rows of a project, or of all (0), as of the transaction.
func (c *vectorCache) load(tx *registry.Tx, projectID int64) ([]packed, error) {
	where, args := ``, []any{}
	if projectID != 0 {
		where, args = ` WHERE project_id = ?`, append(args, projectID)
	}
	rows, err := registry.Collect(tx, func(row registry.Scanner) (p packed, err error) {
		return p, row.Scan(&p.id, &p.stamp)
	}, `SELECT id, stamp FROM memory_vectors`+where+` ORDER BY id`, args...)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows == nil {
		c.rows = map[int64]packed{}
	}
	var missing []int64
	for i, p := range rows {
		if kept, ok := c.rows[p.id]; ok && kept.stamp == p.stamp {
			rows[i] = kept
		} else {
			missing = append(missing, p.id)
		}
	}
	for some := range slices.Chunk(missing, rowsAtOnce) {
		marks, ids := many(some)
		fresh, err := registry.Collect(tx, func(row registry.Scanner) (p packed, err error) {
			return p, row.Scan(&p.id, &p.stamp, &p.ids, &p.vectors)
		}, `SELECT id, stamp, ids, vectors FROM memory_vectors WHERE id IN `+marks, ids...)
		if err != nil {
			return nil, err
		}
		for _, p := range fresh {
			c.rows[p.id] = p
		}
	}
	for i, p := range rows {
		rows[i] = c.rows[p.id]
	}
	if projectID == 0 && len(c.rows) > len(rows) { // of former models and projects
		clear(c.rows)
		for _, p := range rows {
			c.rows[p.id] = p
		}
	}
	return rows, nil
}

// compare finds the most memories nearest to v among those of a project, or of all (0),
// in one pass over their vectors.
func (c *vectorCache) compare(tx *registry.Tx, v vector, projectID int64, most int) ([]likeness, error) {
	rows, err := c.load(tx, projectID)
	near := nearest{most: most}
	length := v.length()
	for _, p := range rows {
		near.compare(v, length, &p)
	}
	return near.ranked(), err
}
