package ticket

import (
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/shared/registry"
)

// EstimateText returns an estimate in the form of a change's value: "" for none.
func EstimateText(e *float64) string {
	if e == nil || *e < 0 {
		return ""
	}
	return strconv.FormatFloat(*e, 'g', -1, 64)
}

// Markdown returns a ticket's description as Markdown, in whatever format its tracker keeps it.
func (n *New) Markdown() string {
	shown, _ := n.shown()
	return shown
}

// SameMarkdown reports whether two texts read the same: trackers write lists, headings and
// emphasis in their own way.
func SameMarkdown(a, b string) bool {
	return strings.TrimSpace(a) == strings.TrimSpace(b) || plain(a) == plain(b)
}

// plain normalises a Markdown text by parsing and rendering it.
func plain(text string) string {
	doc, err := description.Parse(text, description.Markdown)
	if err != nil {
		return strings.TrimSpace(text)
	}
	return strings.Join(strings.Fields(doc.Markdown()), " ")
}

// ProviderType returns a ticket's type in its tracker's own words, or the type that it is to be made with there; "" when neither is known.
func ProviderType(tx *registry.Tx, itemID int64) (string, error) {
	return registry.One[string](tx.QueryRow(`SELECT provider_type FROM tickets WHERE item_id = ?`, itemID))
}
