package sync

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/text"
)

// unheld names the parts of a description that the tracker's text format cannot hold, "" for none. It compares the description with the
// text that the tracker has kept.
func unheld(tracker provider.Name, key, markdown string, kept provider.Text) string {
	if kept.Format == provider.Markdown || kept.Text == "" {
		return ""
	}
	wanted, err := description.Parse(markdown, description.Markdown)
	if err != nil {
		return ""
	}
	has, err := description.Parse(kept.Text, description.Format(kept.Format))
	if err != nil {
		return ""
	}
	lost := description.Lost(wanted, has)
	if n := description.Pictures(markdown) - strings.Count(kept.Text, "<img"); n > 0 && kept.Format == provider.HTML || kept.Format == provider.ADF && n > 0 {
		lost = append(lost, text.Count(n, "picture (as a link)", "pictures (as links)"))
	}
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s has no form for %s of its description; the words are there as plain text", key, tracker.Title(), strings.Join(lost, ", "))
}

// sayUnheld notes the parts of a sent description that the tracker cannot hold.
func (r *Result) sayUnheld(tracker provider.Name, markdown string, now *provider.Item) {
	if sentence := unheld(tracker, now.Key, markdown, now.Body); sentence != "" {
		r.note(sentence)
	}
}
