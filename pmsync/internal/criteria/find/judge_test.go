package find

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

func TestWhatIsNeverACriterion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"PASSED":                                     true,
		"PASSED on Chrome 118":                       true,
		"FAILED: the mail is empty":                  true,
		"QA: passed on staging":                      true,
		"Verified on build 4.2.1":                    true,
		"tested by Kim":                              true,
		"Verified users can post":                    false,
		"Failed payments are shown in red":           false,
		"Tested and working in all roles":            false,
		"Test on Chrome and Safari":                  false,
		"src/app/main.ts":                            true,
		"`src/api.go`, docs/flow.md":                 true,
		"https://example.com/designs/42":             true,
		"`src/migrations/` (new migration)":          true,
		"GET /users returns 200":                     false,
		"README.md names the port":                   false,
		"TC-04 empty list":                           true,
		"Test case 3: two tabs":                      true,
		"Step 2: press save":                         true,
		"Test coverage stays above 80 %":             false,
		"TCP port 80 is closed":                      false,
		"Priority: high":                             true,
		"Story points: 5":                            true,
		"Environment: staging":                       true,
		"Version: must be shown on the start page":   false,
		"Status: a finished order is green":          false,
		"Should we cache this?":                      true,
		`The page asks "Are you sure?"`:              false,
		"I have read the contributing guide":         true,
		"I agree to follow the code of conduct":      true,
		"I added tests":                              true,
		"I can see my orders":                        false,
		"I have a button to cancel":                  false,
		"I am told when the order is on its way":     false,
		"It works offline":                           false,
		"The form keeps its values after an error":   false,
		"OK closes the window":                       false,
		"Blocked users see why they cannot sign in":  false,
		"Skipped rows are listed in the mail":        false,
		"Passwords are never logged":                 false,
		"Size: files above 4 GB are refused at once": false,
	} {
		if got := isOther(text); got != want {
			t.Errorf("isOther(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestWhatIsStatedOfTheProduct(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Weeks can be swiped":                      true,
		"The day view scrolls to now":              true,
		"`fmt` keeps comments at the end":          true,
		"Implement the parser":                     false,
		"Add a test":                               false,
		"Updating the docs":                        false,
		"Support for GitLab":                       false,
		"Kubernetes cluster of production":         false,
		"Add must be undone by Ctrl-Z":             true,
		"No more than three requests are sent":     true,
		"Priority: high":                           false,
		"Is the grid empty?":                       false,
		"Return goods are accepted within 2 weeks": false, // begins like an order
	} {
		if got := saysState(text); got != want {
			t.Errorf("saysState(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestStepsOfATestAndItsOutcome(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Run the program":                              false,
		"Click the toggle and shake the device":        false,
		"Run it. Verify that the title is shown":       true,
		"Click the button, the screen should be red":   true,
		"A guest sees the price with tax":              true,
		"The second tab is active after three seconds": true,
		"KitchenSink sample":                           false,
	} {
		if got := statesOutcome(text); got != want {
			t.Errorf("statesOutcome(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestStrongModals(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"It must hold": true, "Es muss halten": true, "It should hold": false, "It should hold, and must": true, "Es sollte halten": false, "It cannot hold": false, "不得删除": true, "应该删除": false, "It holds": false} {
		if got := hasStrong(s); got != want {
			t.Errorf("hasStrong(%q) = %v", s, got)
		}
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, why string
		unsure    bool
	}{
		{"## Acceptance criteria\n- The mail is sent", `it stands below "Acceptance criteria"`, false},
		{"## Acceptance criteria\n### Backend\n- The mail is sent", `it stands below "Acceptance criteria"`, false},
		{"AC1: the mail is sent", "it is named AC1", false},
		{"Given a user When she pays Then a mail is sent", "it is a scenario of given, when and then", false},
		{"| Acceptance criteria | Owner |\n|---|---|\n| The mail is sent | Kim |", "its column is called acceptance criteria", false},
		{"## Requirements\n- The mail is sent once", `it stands below "Requirements"`, false},
		{"## Requirements\n- Mail by SMTP", `it stands below "Requirements"`, true},
		{"Make it quick:\n\n- [ ] The list opens at once", "its box is in no list of tasks, and it says what the product does", true},
		{"The import must not stop at a bad row.", "the sentence says what must be", true},
		{"## Expected outcome\n- The mail is sent", `it stands below "Expected outcome"`, true},
	} {
		doc, err := description.Parse(c.text, description.Markdown)
		if err != nil {
			t.Fatal(err)
		}
		found := Criteria(doc)
		if len(found) != 1 || found[0].Why != c.why || found[0].Unsure != c.unsure {
			t.Errorf("%q: %+v, want one because %q, unsure %v", c.text, found, c.why, c.unsure)
		}
	}
}
