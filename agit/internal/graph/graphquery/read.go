package graphquery

import (
	"slices"

	"github.com/agit-suite/agit/agit/internal/graph/cypher/graph"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
	"github.com/agit-suite/agit/shared/registry"
)

// shape describes what a view reads of the nodes of one label: everything, or the properties that a query names.
type shape struct {
	*label
	place   int64    // index of the label in labels
	alone   []string // the label as the list that all its nodes share
	partial bool
	columns []property
	lists   []property
	fields  string // the columns, each after a comma
	joined  string // the joins of the columns
}

// shapeOf returns what to read of a label; a nil only means everything.
func shapeOf(place int, l *label, only graph.Wanted) *shape {
	s := &shape{label: l, place: int64(place), alone: []string{l.name}, partial: only != nil}
	joined := map[string]bool{}
	for _, p := range l.properties {
		if only != nil && !only.Of([]string{l.name}, p.name) {
			continue
		}
		if p.list != "" {
			s.lists = append(s.lists, p)
			continue
		}
		s.columns = append(s.columns, p)
		s.fields += ", " + p.column
		if p.join != "" && !joined[p.join] {
			joined[p.join] = true
			s.joined += " " + l.joins[p.join]
		}
	}
	return s
}

// rowReader reads further columns of a row and builds a node from them.
type rowReader struct {
	shape  *shape
	view   *view
	stored []any
	into   []any
}

// reader returns a rowReader for rows that begin with the ids in ahead.
func (s *shape) reader(v *view, ahead ...any) *rowReader {
	r := &rowReader{shape: s, view: v, stored: make([]any, len(s.columns)), into: ahead}
	for i := range r.stored {
		r.into = append(r.into, &r.stored[i])
	}
	return r
}

// node builds a node from its row's id and the columns that were read.
func (r *rowReader) node(row int64) (*value.Node, error) {
	s := r.shape
	n := &value.Node{ID: s.id(row), Loaded: true, Partial: s.partial, Labels: s.alone, Properties: make(map[string]any, len(r.stored)+len(s.lists))}
	for i, p := range s.columns {
		held := r.stored[i]
		if p.value != nil && held != nil {
			var err error
			if held, err = p.value(r.view, row, held); err != nil {
				return nil, err
			}
		}
		if held != nil {
			n.Properties[p.name] = held
		}
	}
	return n, nil
}

// read returns the nodes of a statement whose first column is their id.
func (s *shape) read(v *view, query string, args ...any) ([]*value.Node, error) {
	var id int64
	reader := s.reader(v, &id)
	nodes, err := registry.Collect(v.tx, func(row registry.Scanner) (*value.Node, error) {
		if err := row.Scan(reader.into...); err != nil {
			return nil, err
		}
		return reader.node(id)
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return nodes, s.addLists(v, nodes)
}

// addLists adds the list properties that other tables hold, for all nodes at once. A node without elements gets the empty list.
func (s *shape) addLists(v *view, nodes []*value.Node) error {
	for _, p := range s.lists {
		for part := range slices.Chunk(nodes, batch) {
			if err := p.addTo(v, part); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p property) addTo(v *view, nodes []*value.Node) error {
	lists := make(map[int64][]any, len(nodes))
	ids := make([]any, len(nodes))
	for i, n := range nodes {
		_, ids[i] = split(n.ID)
	}
	_, err := registry.Collect(v.tx, func(row registry.Scanner) (element string, err error) {
		var owner int64
		err = row.Scan(&owner, &element)
		lists[owner] = append(lists[owner], element)
		return element, err
	}, p.list+marks(len(ids))+`) ORDER BY capability`, ids...)
	for i, n := range nodes {
		list := lists[ids[i].(int64)]
		if list == nil {
			list = []any{}
		}
		n.Properties[p.name] = list
	}
	return err
}
