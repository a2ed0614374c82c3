package memory

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/agit-suite/agit/shared/registry"
)

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
