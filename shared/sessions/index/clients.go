package index

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/timestamp"
)

// Count is how many sessions a client has in some projects; a lineage counts once.
type Count struct {
	Client   string         `json:"client"`
	Sessions int            `json:"sessions"`
	Last     timestamp.Time `json:"last_at"`
}

// Clients counts the sessions of each client in the projects since a time, the largest count first.
func (x *Index) Clients(ctx context.Context, projects []string, since time.Time) (all []Count, err error) {
	args := make([]any, 0, len(projects)+1)
	args = append(args, since.UnixMilli())
	for _, one := range projects {
		args = append(args, one)
	}
	err = x.file.Each(ctx, func(scan func(...any) error) error {
		var c Count
		var at int64
		err := scan(&c.Client, &c.Sessions, &at)
		c.Last = timestamp.Of(time.UnixMilli(at))
		all = append(all, c)
		return err
	}, `SELECT s.client, count(DISTINCT s.lineage) AS n, max(e.at) FROM entries e JOIN transcripts s ON s.id = e.session JOIN places p ON p.id = e.place WHERE e.at >= ? AND p.project IN (`+
		strings.TrimSuffix(strings.Repeat("?, ", len(projects)), ", ")+`) GROUP BY s.client ORDER BY n DESC, s.client`, args...)
	return all, err
}
