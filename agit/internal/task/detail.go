package task

import (
	"context"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
	"github.com/agit-suite/agit/shared/work/lease"
)

// fill reads the related items of a task.
func (d *Detail) fill(tx *registry.Tx, item work.Item) (err error) {
	if item.ParentID != 0 {
		parent, err := work.ByID(tx, item.ParentID)
		if err != nil {
			return err
		}
		if parent.Kind == work.KindEpic {
			d.Epic = parent.Ref
		} else {
			d.Parent = parent.Ref
		}
	}
	if item.OriginID != 0 {
		origin, err := work.ByID(tx, item.OriginID)
		if err != nil {
			return err
		}
		d.Origin = origin.Ref
	}
	actual, err := registry.One[registry.Null[int64]](tx.QueryRow(`SELECT actual_seconds FROM tasks WHERE item_id = ?`, item.ID))
	if err != nil {
		return err
	}
	d.ActualDuration, d.EstimatedDuration = work.FormatDuration(time.Duration(actual.V)*time.Second), work.FormatDuration(item.Estimate)
	if d.RequiredCapabilities, err = work.Capabilities(tx, item.ID); err != nil {
		return err
	}
	if d.Status == Blocked {
		if d.BlockedWhy, err = blockedWhy(tx, item); err != nil {
			return err
		}
	}
	bugs, err := openBugs(tx, item.ID)
	if err != nil {
		return err
	}
	d.BlockedBy = text.Each(bugs, func(b openBug) string { return b.ref })
	for into, query := range map[*[]string]string{
		&d.DependsOn: `SELECT b.ref FROM dependencies d JOIN items b ON b.id = d.source_id
			WHERE d.target_id = ? AND d.relation = 'blocks' AND b.kind <> 'bug' AND b.deleted_at IS NULL ORDER BY d.id`,
		&d.Blocks: `SELECT t.ref FROM dependencies d JOIN items t ON t.id = d.target_id
			WHERE d.source_id = ? AND d.relation = 'blocks' AND t.deleted_at IS NULL ORDER BY d.id`,
		&d.Artifacts: `SELECT path FROM artifacts WHERE produced_by = ? ORDER BY item_id`,
	} {
		if *into, err = registry.Collect(tx, registry.One[string], query, item.ID); err != nil {
			return err
		}
	}
	d.History, err = work.History(tx, item.ID)
	return err
}

// SetActual stores how long a task took, in whole seconds: less than one counts as one, and 0 keeps the stored time.
func SetActual(tx *registry.Tx, itemID int64, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	return tx.Do(`UPDATE tasks SET actual_seconds = ? WHERE item_id = ?`, int64(max(d.Round(time.Second), time.Second)/time.Second), itemID)
}

// Explain returns why an item of any kind is ready, or is not, for an agent by name ("" for no agent in particular).
func (s *Store) Explain(ctx context.Context, id, agentName string) (e work.Explanation, err error) {
	err = s.DB.Read(ctx, func(tx *registry.Tx) error {
		item, err := work.Find(tx, "", id)
		if fault.Is(err, fault.KindNotFound) {
			return unknown(tx, "item", id, "")
		}
		if err != nil {
			return err
		}
		asking, err := known(tx, agentName)
		if err != nil {
			return err
		}
		if e, err = lease.Explain(tx, item, asking.ID, s.ReleaseAfter); err != nil || asking.ID == 0 {
			return err
		}
		return lacking(tx, &e, item, asking.ID)
	})
	return e, err
}

// lacking adds that an item needs capabilities which the agent does not have.
func lacking(tx *registry.Tx, e *work.Explanation, item work.Item, agentID int64) error {
	missing, err := registry.Collect(tx, registry.One[string], `SELECT c.capability FROM item_capabilities c WHERE c.item_id = ?
		AND NOT EXISTS (SELECT 1 FROM agent_capabilities a WHERE a.agent_id = ? AND a.capability = c.capability) ORDER BY c.capability`, item.ID, agentID)
	if err != nil || len(missing) == 0 {
		return err
	}
	e.Ready = false
	e.Reasons = append(e.Reasons, work.Reason{Why: work.WhyCapability,
		Sentence: "it needs what the agent did not say it can do: " + strings.Join(missing, ", "), Items: []string{}})
	return nil
}

// Criterion is one acceptance criterion.
type Criterion struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Status string `json:"status"`
}

// Criteria returns the acceptance criteria of a task: its own first, then those of the item that it was made from. origin is that item's
// row, 0 for none. It returns at most 200.
func Criteria(tx *registry.Tx, itemID, origin int64) ([]Criterion, error) {
	return registry.Collect(tx, func(row registry.Scanner) (c Criterion, err error) {
		return c, row.Scan(&c.ID, &c.Text, &c.Status)
	}, `SELECT ref, text, status FROM item_criteria WHERE item_id IN (?, ?) ORDER BY CASE WHEN item_id = ? THEN 0 ELSE 1 END, position LIMIT 200`, itemID, origin, itemID)
}
