package graphquery

import (
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
)

const (
	keptQueries   = 64
	keptLength    = 8 << 10 // bytes of a query's text; longer ones are parsed each time
	sizesLastFor  = 10 * time.Second
	worthCounting = 2000 // nodes of a label; above this the exact count does not matter
)

// queryCache is what a Store keeps between queries; it never affects an answer. The zero value is empty and safe for concurrent use.
type queryCache struct {
	mu      sync.Mutex
	queries map[string]*cypher.Query
	sizes   map[string]size
}

// size is the approximate number of nodes of a label at a time.
type size struct {
	nodes float64
	at    time.Time
}

// prepare is cypher.Prepare with a cache.
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
		m.queries = make(map[string]*cypher.Query, keptQueries) // queries in use are cached again soon
	}
	m.queries[text] = query
	return query, nil
}

// sizeOf returns roughly how many nodes a label has; it is counted again from time to time.
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
