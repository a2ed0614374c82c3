package similar

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/registry"
)

// atOnce is how many profiles one query reads.
const atOnce = 200

// tell returns a match for each candidate, in their order, with its project and the dependencies it shares with p.
func tell(tx *registry.Tx, p *profile.Profile, found []candidate) ([]Match, error) {
	matches := make([]Match, len(found))
	for i, c := range found {
		matches[i].Score, matches[i].Breakdown = c.score, c.Breakdown
	}
	for start := 0; start < len(found); start += atOnce {
		end := min(start+atOnce, len(found))
		if err := tellSome(tx, p, found[start:end], matches[start:end]); err != nil {
			return nil, err
		}
	}
	return matches, nil
}

func tellSome(tx *registry.Tx, p *profile.Profile, found []candidate, matches []Match) error {
	ids, places := make([]any, len(found)), make(map[int64]*Match, len(found))
	var sharing []any // ids of the candidates that share dependencies
	for i, c := range found {
		ids[i], places[c.id] = c.id, &matches[i]
		if c.Breakdown.Dependencies > 0 {
			sharing = append(sharing, c.id)
		}
	}
	err := each(tx, func(s registry.Scanner) error {
		var id int64
		var m Match
		if err := s.Scan(&id, &m.Project, &m.Name, &m.Package, &m.Path, &m.Language, &m.Framework, &m.Scope); err != nil {
			return err
		}
		there := places[id]
		m.Score, m.Breakdown = there.Score, there.Breakdown
		*there = m
		return nil
	}, `SELECT p.id, j.uid, p.name, p.package, p.path, p.language, p.framework, p.scope
		FROM profiles p JOIN projects j ON j.id = p.project_id WHERE p.id IN `, ``, ids)
	if err != nil || len(sharing) == 0 {
		return err
	}
	return each(tx, func(s registry.Scanner) error {
		var id int64
		var d profile.Dependency
		if err := s.Scan(&id, &d.Ecosystem, &d.Name); err != nil {
			return err
		}
		if m := places[id]; len(m.Shared) < MaxShared && slices.Contains(p.Declared, d) {
			m.Shared = append(m.Shared, d.Name)
		}
		return nil
	}, `SELECT profile_id, ecosystem, name FROM profile_dependencies WHERE profile_id IN `, ` ORDER BY profile_id, name, ecosystem`, sharing)
}

// each runs a query over ids, which are inserted between its two halves.
func each(tx *registry.Tx, take func(registry.Scanner) error, before, after string, ids []any) error {
	for row, err := range tx.Rows(before+`(?`+strings.Repeat(`, ?`, len(ids)-1)+`)`+after, ids...) {
		if err != nil {
			return err
		}
		if err := take(row); err != nil {
			return err
		}
	}
	return nil
}
