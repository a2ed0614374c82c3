package similar

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/registry"
)

// Options limit a search.
type Options struct {
	Min      float64 // least score; usually Threshold
	Limit    int     // maximum number; all when 0
	Packages bool    // including packages that were not requested by themselves
}

// Match is a profile with its score.
type Match struct {
	Project   string    `json:"project"`
	Name      string    `json:"name"`
	Package   string    `json:"package,omitempty"`
	Path      string    `json:"path"`
	Language  string    `json:"language"`
	Framework string    `json:"framework"`
	Scope     string    `json:"scope"`
	Score     float64   `json:"score"`
	Breakdown Breakdown `json:"breakdown"`
	// Shared are the dependencies that both declare, at most MaxShared of them.
	Shared []string `json:"shared,omitempty"`
}

// MaxShared bounds the shared dependencies that a match names.
const MaxShared = 12

type candidate struct {
	id    int64
	score float64
	alike int // words in the names and scopes of both: among equal scores, the one with more of them comes first
	Breakdown
}

// Find returns the other profiles most similar to p, the best first, without those of the folders above p and below it in its own project.
func Find(ctx context.Context, db *registry.DB, p *profile.Profile, o Options) ([]Match, error) {
	return registry.Read(ctx, db, func(tx *registry.Tx) ([]Match, error) {
		found, err := candidates(tx, p, o)
		if err != nil {
			return nil, err
		}
		return tell(tx, p, found)
	})
}

// nothing is a value that no column holds.
const nothing = "-"

func known(value string) string {
	if value == "" || value == profile.Unknown {
		return nothing
	}
	return value
}

// candidates reads the rows by their score without dependencies, the highest first, and stops where the rest cannot be among the best:
// dependencies add at most Dependencies.
func candidates(tx *registry.Tx, p *profile.Profile, o Options) ([]candidate, error) {
	language, framework, scope := known(p.Language), known(p.Framework), known(p.ScopeKey())
	args := []any{language, framework, scope, language}
	where := `j.uid <> ?`
	args = append(args, p.Project)
	if p.Package != "" {
		where = `(j.uid <> ? OR (p.package <> '' AND p.package <> ? AND SUBSTR(p.package, 1, ?) <> ? AND SUBSTR(?, 1, LENGTH(p.package) + 1) <> p.package || '/'))`
		args = append(args, p.Package, len([]rune(p.Package))+1, p.Package+"/", p.Package)
	}
	if o.Min > Dependencies {
		where += ` AND (p.language = ? OR p.framework = ? OR p.scope_key = ?)`
		args = append(args, language, framework, scope)
	}
	if !o.Packages {
		where += ` AND p.asked = 1`
	}
	keys := profile.Keys(p.Declared)
	own := words(p.Name, p.Scope)
	var best []candidate
	for row, err := range tx.Rows(`SELECT p.id, p.dependency_keys, p.name, p.scope,
			CASE WHEN p.language = ? THEN 4 ELSE 0 END + CASE WHEN p.framework = ? THEN 3 ELSE 0 END + CASE WHEN p.scope_key = ? THEN 2 ELSE 0 END AS base,
			CASE WHEN p.language = ? THEN 1 ELSE 0 END
		FROM profiles p JOIN projects j ON j.id = p.project_id AND j.deleted_at IS NULL
		WHERE `+where+` ORDER BY base DESC, p.id`, args...) {
		if err != nil {
			return nil, err
		}
		var c candidate
		var theirs, name, scope string
		var base, sameLanguage int
		if err := row.Scan(&c.id, &theirs, &name, &scope, &base, &sameLanguage); err != nil {
			return nil, err
		}
		if most := float64(base)/10 + Dependencies; most < o.Min || o.Limit > 0 && len(best) >= o.Limit && most <= best[o.Limit-1].score {
			break
		}
		c.Breakdown = parts(base, sameLanguage == 1)
		c.Breakdown.Dependencies = overlap(keys, theirs)
		if c.score = c.Score(); c.score < o.Min {
			continue
		}
		for _, word := range words(name, scope) {
			if slices.Contains(own, word) {
				c.alike++
			}
		}
		best = append(best, c)
		if o.Limit > 0 && len(best) >= 2*o.Limit+64 {
			best = top(best, o.Limit)
		} else if o.Limit > 0 && len(best) == o.Limit {
			best = top(best, o.Limit)
		}
	}
	return top(best, o.Limit), nil
}

// words returns the distinctive words of a name and a scope.
func words(name, scope string) []string {
	if scope == profile.Unknown {
		scope = ""
	}
	return strings.Fields(profile.ScopeKey(name + " " + scope))
}

// parts splits the sum of the three equalities into its terms.
func parts(base int, sameLanguage bool) (b Breakdown) {
	if sameLanguage {
		b.Language, base = Language, base-4
	}
	if base >= 3 {
		b.Framework, base = Framework, base-3
	}
	if base >= 2 {
		b.Scope = Scope
	}
	return b
}

func top(all []candidate, limit int) []candidate {
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.alike, a.alike), cmp.Compare(a.id, b.id))
	})
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all
}

// atOnce is how many profiles one query reads.
const atOnce = 200

// tell returns a match for each candidate, in their order, with its project and the dependencies it shares with p.
func tell(tx *registry.Tx, p *profile.Profile, found []candidate) ([]Match, error) {
	matches, places := make([]Match, len(found)), make(map[int64]*Match, len(found))
	var ids, sharing []int64
	for i, c := range found {
		matches[i].Score, matches[i].Breakdown = c.score, c.Breakdown
		places[c.id], ids = &matches[i], append(ids, c.id)
		if c.Breakdown.Dependencies > 0 {
			sharing = append(sharing, c.id)
		}
	}
	err := each(tx, ids, `SELECT p.id, j.uid, p.name, p.package, p.path, p.language, p.framework, p.scope
		FROM profiles p JOIN projects j ON j.id = p.project_id WHERE p.id IN `, ``, func(s registry.Scanner) error {
		var id int64
		var m Match
		if err := s.Scan(&id, &m.Project, &m.Name, &m.Package, &m.Path, &m.Language, &m.Framework, &m.Scope); err != nil {
			return err
		}
		m.Score, m.Breakdown = places[id].Score, places[id].Breakdown
		*places[id] = m
		return nil
	})
	if err != nil {
		return nil, err
	}
	return matches, each(tx, sharing, `SELECT profile_id, ecosystem, name FROM profile_dependencies WHERE profile_id IN `, ` ORDER BY profile_id, name, ecosystem`,
		func(s registry.Scanner) error {
			var id int64
			var d profile.Dependency
			err := s.Scan(&id, &d.Ecosystem, &d.Name)
			if m := places[id]; err == nil && len(m.Shared) < MaxShared && slices.Contains(p.Declared, d) {
				m.Shared = append(m.Shared, d.Name)
			}
			return err
		})
}

// each runs a query over ids, some at once, which are inserted between its two halves.
func each(tx *registry.Tx, ids []int64, before, after string, take func(registry.Scanner) error) error {
	for some := range slices.Chunk(ids, atOnce) {
		list, args := registry.In(some)
		for row, err := range tx.Rows(before+`(`+list+`)`+after, args...) {
			if err == nil {
				err = take(row)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
