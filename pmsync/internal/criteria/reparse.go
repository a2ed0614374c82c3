package criteria

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/criteria/find"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Found is a criterion found in a ticket's text.
type Found struct {
	Text   string
	Source string // Parsed when empty
	Why    string // the reason in the text, as a clause
	Unsure bool   // not called a criterion by its author
}

// Reparsed counts the changes after a ticket's text was read again.
type Reparsed struct {
	Added     int  `json:"added"`
	Kept      int  `json:"kept"`    // same text
	Changed   int  `json:"changed"` // nearly the same text: status and evidence stay
	Removed   int  `json:"removed"` // no longer in the text
	Unchanged bool `json:"unchanged"`
}

// maxText bounds the length of a criterion, in bytes.
const maxText = 2000

// Reparse brings the criteria of a ticket in line with those found in its text. A criterion with the same or nearly the same text keeps its
// status and evidence, added ones stay, and those that the text no longer holds are put aside.
func Reparse(tx *registry.Tx, itemID int64, found []Found) (r Reparsed, err error) {
	old, err := registry.Collect(tx, func(s registry.Scanner) (x former, err error) {
		return x, s.Scan(&x.Row, &x.Text, &x.Index, &x.Source, &x.Why, &x.Unsure, &x.gone)
	}, `SELECT id, text, position, source, why, unsure, gone_at IS NOT NULL FROM criteria WHERE item_id = ? ORDER BY gone_at IS NOT NULL, position, id`, itemID)
	if err != nil {
		return r, err
	}
	for i := range found {
		found[i].Text = redact.Stored(text.Cut(strings.TrimSpace(found[i].Text), maxText))
		found[i].Source = cmp.Or(found[i].Source, Parsed)
	}
	partner := partners(old, found)
	position := 0
	var rows [][]any
	// An added criterion between others keeps its place; one behind all of them stays behind.
	behind := -1
	for _, c := range old {
		if c.Source != Manual && !c.gone {
			behind = max(behind, c.Index)
		}
	}
	manual := slices.DeleteFunc(slices.Clone(old), func(c former) bool { return c.Source != Manual || c.gone })
	for i, f := range found {
		for len(manual) > 0 && manual[0].Index <= min(position, behind) && !slices.ContainsFunc(partner, func(p int) bool { return p >= 0 && old[p].Row == manual[0].Row }) {
			manual, position = manual[1:], position+1
		}
		switch at := partner[i]; {
		case at < 0:
			r.Added++
			rows = append(rows, []any{registry.NewUID(), "", itemID, position, f.Text, f.Source, f.Why, flag(f.Unsure), tx.Stamp(), tx.Stamp()})
		case old[at].Text == f.Text && !old[at].gone && old[at].Index == position && old[at].Why == f.Why && (f.Unsure || !old[at].Unsure):
			r.Kept++
		default:
			if old[at].Text == f.Text {
				r.Kept++
			} else {
				r.Changed++
			}
			if err := tx.Do(`UPDATE criteria SET text = ?, position = ?, why = ?, unsure = ?, gone_at = NULL WHERE id = ?`, f.Text, position, f.Why, flag(f.Unsure && old[at].Unsure), old[at].Row); err != nil {
				return r, err
			}
		}
		position++
	}
	if err := putAside(tx, old, partner, behind, position, &r); err != nil {
		return r, err
	}
	r.Unchanged = r.Added+r.Changed+r.Removed == 0
	ids, err := tx.FreeIDs("criteria", Prefix, len(rows))
	if err != nil {
		return r, err
	}
	for i := range rows {
		rows[i][1] = ids[i]
	}
	return r, tx.InsertRows(`INSERT INTO criteria (uid, ref, item_id, position, text, source, why, unsure, changed_at, created_at) VALUES`, rows, "", nil)
}

// flag returns a bool in the form that tables hold.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// former is an earlier criterion of a ticket; gone reports that the text lacked it at the last reading.
type former struct {
	Criterion
	gone bool
}

// partners returns for each found criterion the index in old of the criterion it continues, -1 for a new one.
func partners(old []former, found []Found) []int {
	texts, had := make([]string, len(found)), make([]string, len(old))
	for i, f := range found {
		texts[i] = f.Text
	}
	for i, c := range old {
		had[i] = c.Text
	}
	partner := make([]int, len(found))
	for _, p := range find.Match(had, texts) {
		if p.New >= 0 {
			partner[p.New] = p.Old
		}
	}
	return partner
}

// putAside marks criteria that the text no longer holds as gone. It moves added ones that stood behind the others to the end, from position
// on.
func putAside(tx *registry.Tx, old []former, partner []int, behind, position int, r *Reparsed) error {
	for i, c := range old {
		if c.gone || slices.Contains(partner, i) {
			continue
		}
		if c.Source != Manual {
			r.Removed++
			if err := tx.Do(`UPDATE criteria SET gone_at = ? WHERE id = ?`, tx.Stamp(), c.Row); err != nil {
				return err
			}
		} else if c.Index > behind || c.Index >= position {
			if err := tx.Do(`UPDATE criteria SET position = ? WHERE id = ?`, position, c.Row); err != nil {
				return err
			}
			position++
		}
	}
	return nil
}
