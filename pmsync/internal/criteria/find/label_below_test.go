package find

import (
	"slices"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// The formats read a label right below a list, without an empty line, as a line of the last item.
func TestLabelRightBelowAList(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"**Acceptance criteria**\n- a guest pays\n- a member pays\n**Out of scope**\n- refunds":                     {"a guest pays", "a member pays"},
		"**Acceptance criteria:**\n- a guest pays\n- a member pays\n**Notes:** ask Kim\n**Test cases:**\n- TC1 pay": {"a guest pays", "a member pays"},
		"Acceptance criteria:\n- a guest pays\n- a member pays\nOut of scope:\n- refunds":                           {"a guest pays", "a member pays"},
		"Tasks:\n- write it\nAcceptance criteria:\n- a guest pays":                                                  {"a guest pays"},
		"**Acceptance criteria**\n**Guests**\n- a guest pays\n**Members**\n- a member pays":                         {"a guest pays", "a member pays"},
		"**Acceptance criteria**\n- a guest pays\n  - by card\n**Files**\n- src/pay.ts":                             {"a guest pays", "  by card"},
		"**Acceptance criteria**\n- a guest pays\n- a member pays\nPriority: high\nEstimate: 3 points":              {"a guest pays", "a member pays"},
		"**Acceptance criteria**\n- a guest pays\nwith the card of a friend\n- a member pays":                       {"a guest pays with the card of a friend", "a member pays"},
		"**Acceptance criteria**\n- a guest pays\n  Details: by card.\n- a member pays":                             {"a guest pays Details: by card.", "a member pays"},
	} {
		doc, err := description.Parse(text, description.Markdown)
		if err != nil {
			t.Fatal(err)
		}
		if got := outline(Criteria(doc)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLinesThatBeginWhatMustHold(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]meaning{
		"We will consider this complete once the following are true:": accepts,
		"This ticket can be closed when:":                             accepts,
		"The work is finished if all of these hold:":                  accepts,
		"It is not done when:":                                        unknown,
		"When this is done:":                                          unknown,
		"We are done when it works.":                                  unknown,
		"Files to change":                                             excluded,
		"Indexes to create":                                           excluded,
		"How to create":                                               unknown,
		"Checklist for the author":                                    excluded,
		"Glossary":                                                    excluded,
		"Test results":                                                excluded,
		"Acceptance criteria for the glossary":                        accepts,
	} {
		if got := meaningOf(line); got != want {
			t.Errorf("meaningOf(%q) = %v, want %v", line, got, want)
		}
	}
}
