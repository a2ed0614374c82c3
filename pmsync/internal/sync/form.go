package sync

import (
	"fmt"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/outbox"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/redact"
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

// markdownOf returns a tracker's text as Markdown, with its secrets.
func markdownOf(kept provider.Text) string {
	doc, err := description.Parse(kept.Text, description.Format(kept.Format))
	if kept.Format == "" || kept.Format == provider.Markdown || err != nil {
		return strings.TrimSpace(kept.Text)
	}
	return strings.TrimSpace(doc.Markdown())
}

// unmarked returns the value of a change with the secrets of the tracker's own text in place of the marks that stand for them here. It is
// an Invalid error when what a mark stands for is not known.
func (s *sending) unmarked(c outbox.Change, original string) (string, error) {
	if c.Base == nil || !strings.Contains(*c.Base, redact.Mark) || !strings.Contains(c.Value, redact.Mark) {
		return c.Value, nil
	}
	if whole, ok := redact.Restore(c.Value, original); ok && redact.Clean(original) == *c.Base {
		return whole, nil
	}
	title := s.Tracker.Name().Title()
	return "", provider.Fail(provider.Invalid, nil, "the new text has a mark for a secret, and which secret of %s's own text it stands for is not certain", title).
		Hint("leave the lines with marks as `pmsync ticket show %s` prints them, or change the text at %s", c.Ticket, title)
}

// sayUnheld notes the parts of a sent description that the tracker cannot hold.
func (r *Result) sayUnheld(tracker provider.Name, markdown string, now *provider.Item) {
	if sentence := unheld(tracker, now.Key, markdown, now.Body); sentence != "" {
		r.note(sentence)
	}
}

// sayDropped notes the parts of the tracker's description that a sent one has replaced and could not hold.
func (r *Result) sayDropped(tracker provider.Name, was provider.Text, now *provider.Item) {
	if dropped := description.Dropped(was.Text, now.Body.Text, description.Format(was.Format)); len(dropped) > 0 {
		r.note(fmt.Sprintf("%s: the new description has replaced %s by plain words; the history of %s has the earlier one",
			now.Key, strings.Join(dropped, ", "), tracker.Title()))
	}
}
