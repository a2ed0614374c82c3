package graphquery

import (
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
)

const (
	keptQueries   = 64
	keptLength    = 8 << 10 // of a query's text, in bytes; longer ones are parsed each time
	sizesLastFor  = 10 * time.Second
	worthCounting = 2000 // nodes of a label; more are many
)

// queryCache is what a Store keeps from one query to the next: nothing that decides
// what is answered. The zero value is empty, and safe for concurrent use.
type queryCache struct {
	mu      sync.Mutex
	queries map[string]*cypher.Query
	sizes   map[string]size
}

// size is about how many nodes a label had at a time.
type size struct {
	nodes float64
	at    time.Time
}

// prepare is cypher.Prepare, once for texts that come again.
func (m *queryCache) prepare(text string) (*cypher.Query, error) {
	m.mu.Lock()
	known := m.queries[text]
	m.mu.Unlock()
	if known != nil {
		return known, nil
	}
	query, err := cypher.Prepare(text)
	if err != nil || len(text) > keptLength {
		return query, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.queries == nil || len(m.queries) >= keptQueries {
		m.queries = make(map[string]*cypher.Query, keptQueries) // those in use come back
	}
	m.queries[text] = query
	return query, nil
}

// sizeOf is about how many nodes a label has, counted now and then.
func (m *queryCache) sizeOf(l *label, count func() float64) float64 {
	m.mu.Lock()
	known, ok := m.sizes[l.name]
	m.mu.Unlock()
	if ok && time.Since(known.at) < sizesLastFor {
		return known.nodes
	}
	known = size{count(), time.Now()}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sizes == nil {
		m.sizes = map[string]size{}
	}
	m.sizes[l.name] = known
	return known.nodes
}
