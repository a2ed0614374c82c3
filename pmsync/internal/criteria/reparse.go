package criteria

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
)

// Found is a criterion as it stands in a ticket's text.
type Found struct {
	Text   string
	Source string // Parsed when empty
}

// Reparsed says what looking at a ticket's text again changed.
type Reparsed struct {
	Added     int `json:"added"`
	Kept      int `json:"kept"`    // same text
	Changed   int `json:"changed"` // nearly the same text: status and evidence stay
	Removed   int `json:"removed"` // no longer in the text
	Unchanged bool
}

// maxText is the length of a criterion in bytes.
const maxText = 2000

// Reparse makes the criteria of a ticket those found in its text. One whose text is
// the same, or nearly so, keeps its status and evidence; those that a person added
// stay; what is no longer there is put aside.
func Reparse(tx *registry.Tx, itemID int64, found []Found) (r Reparsed, err error) {
	type row struct {
		Criterion
		gone bool
	}
	old, err := registry.Collect(tx, func(s registry.Scanner) (x row, err error) {
		return x, s.Scan(&x.Row, &x.Text, &x.Index, &x.Source, &x.gone)
	}, `SELECT id, text, position, source, gone_at IS NOT NULL FROM criteria WHERE item_id = ? ORDER BY gone_at IS NOT NULL, position, id`, itemID)
	if err != nil {
		return r, err
	}
	texts, had := make([]string, len(found)), make([]string, len(old))
	for i := range found {
		found[i].Text = redact.Stored(text.Cut(strings.TrimSpace(found[i].Text), maxText))
		if found[i].Source == "" {
			found[i].Source = Parsed
		}
		texts[i] = found[i].Text
	}
	for i, c := range old {
		had[i] = c.Text
	}
	partner := match(had, texts)
	position := 0
	var rows [][]any
	manual := slices.DeleteFunc(slices.Clone(old), func(c row) bool { return c.Source != Manual || c.gone })
	for i, f := range found {
		for len(manual) > 0 && manual[0].Index <= position && !slices.ContainsFunc(partner, func(p int) bool { return p >= 0 && old[p].Row == manual[0].Row }) {
			manual, position = manual[1:], position+1
		}
		switch at := partner[i]; {
		case at < 0:
			r.Added++
			rows = append(rows, []any{registry.NewUID(), registry.NewID("ac-"), itemID, position, f.Text, f.Source, tx.Stamp(), tx.Stamp()})
		case old[at].Text == f.Text && !old[at].gone && old[at].Index == position:
			r.Kept++
		default:
			if old[at].Text == f.Text {
				r.Kept++
			} else {
				r.Changed++
			}
			if _, err := tx.Exec(`UPDATE criteria SET text = ?, position = ?, gone_at = NULL WHERE id = ?`, f.Text, position, old[at].Row); err != nil {
				return r, err
			}
		}
		position++
	}
	for i, c := range old {
		if c.gone || slices.Contains(partner, i) {
			continue
		}
		if c.Source != Manual {
			r.Removed++
			if _, err := tx.Exec(`UPDATE criteria SET gone_at = ? WHERE id = ?`, tx.Stamp(), c.Row); err != nil {
				return r, err
			}
		} else if c.Index >= position {
			if _, err := tx.Exec(`UPDATE criteria SET position = ? WHERE id = ?`, position, c.Row); err != nil {
				return r, err
			}
			position++
		}
	}
	r.Unchanged = r.Added+r.Changed+r.Removed == 0
	return r, tx.InsertRows(`INSERT INTO criteria (uid, ref, item_id, position, text, source, changed_at, created_at) VALUES`, rows, "", nil)
}

// nearly is from which share of equal text two criteria are taken for one that was
// edited.
const nearly = 0.7

// match finds for each new text the old one that it was, or -1: the same text
// first, then the likest.
func match(old, now []string) []int {
	partner := make([]int, len(now))
	used := make([]bool, len(old))
	oldPlain, nowPlain := plainAll(old), plainAll(now)
	byText := map[string][]int{}
	for i, t := range oldPlain {
		byText[t] = append(byText[t], i)
	}
	for i, t := range nowPlain {
		partner[i] = -1
		if same := byText[t]; len(same) > 0 {
			partner[i], byText[t] = same[0], same[1:]
			used[same[0]] = true
		}
	}
	type pair struct {
		i, at int
		like  float64
	}
	var pairs []pair
	for i, t := range nowPlain {
		if partner[i] >= 0 {
			continue
		}
		for at, was := range oldPlain {
			if !used[at] {
				if like := alike(was, t); like >= nearly {
					pairs = append(pairs, pair{i, at, like})
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		switch {
		case a.like > b.like:
			return -1
		case a.like < b.like:
			return 1
		}
		return 0
	})
	for _, p := range pairs {
		if partner[p.i] < 0 && !used[p.at] {
			partner[p.i], used[p.at] = p.at, true
		}
	}
	return partner
}

// plainAll folds texts to what is compared: words, without case and marks.
func plainAll(texts []string) []string {
	plain := make([]string, len(texts))
	for i, t := range texts {
		words := strings.FieldsFunc(strings.ToLower(t), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		plain[i] = strings.Join(words, " ")
	}
	return plain
}

// alike is the share of words that two texts have in common: twice the words in
// both, over the words of both.
func alike(a, b string) float64 {
	count := map[string]int{}
	left, right := strings.Fields(a), strings.Fields(b)
	for _, w := range left {
		count[w]++
	}
	both := 0
	for _, w := range right {
		if count[w] > 0 {
			count[w]--
			both++
		}
	}
	if len(left)+len(right) == 0 {
		return 0
	}
	return 2 * float64(both) / float64(len(left)+len(right))
}
