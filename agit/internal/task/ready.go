package task

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// Ready returns the tasks that anyone may claim now, those of silent agents included, in the order of the queue: by priority, then age. f narrows by repository or project;
// its statuses do not count. The cursor of a page is the number of tasks before the next.
func (s *Store) Ready(ctx context.Context, f Filter) (page Page, err error) {
	skip := 0
	if f.After != "" {
		if skip, err = strconv.Atoi(f.After); err != nil || skip < 0 {
			return page, fault.Validation("after", "%q is not the end of a page of this list", f.After).WithHint("give the `next` of the page before")
		}
	}
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		var a agent.Agent
		if f.Agent != "" {
			if a, err = agent.Lookup(tx, f.Agent); err != nil {
				return err
			}
		}
		in, err := f.scope(tx)
		if err != nil {
			return err
		}
		queue := queue(in, f.MinPriority, f.Capabilities, a)
		more, args := ``, []any(nil)
		if f.Agent != "" {
			able, with := queue.Able()
			more, args = ` AND `+able, with
		}
		if in.Repo != 0 {
			more, args = more+` AND `+belongs, append(args, in.Repo)
		}
		condition, with := queue.InQueue()
		limit := math.MaxInt // a server takes no -1
		if f.Limit > 0 {
			limit = f.Limit + 1
		}
		ready, asking, err := lease.Ready(tx, s.ReleaseAfter, work.Ready, 0)
		if err != nil {
			return err
		}
		found, err := newRows().collect(tx, `WHERE `+ready+` AND `+condition+more+
			fmt.Sprintf(` ORDER BY items.priority DESC, items.created_at, items.id LIMIT %d OFFSET %d`, limit, skip),
			slices.Concat(asking, with, args)...)
		page.Tasks = tasks(found)
		return err
	})
	if f.Limit > 0 && len(page.Tasks) > f.Limit {
		page.Tasks, page.Next = page.Tasks[:f.Limit], strconv.Itoa(skip+f.Limit)
	}
	return page, err
}
