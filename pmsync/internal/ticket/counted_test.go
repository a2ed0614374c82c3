package ticket

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/redact"
)

// A secret of a tracker's ticket is counted once, though the tracker's own document has it too.
func TestSecretsAreCountedOnce(t *testing.T) {
	redact.Taken()
	n := New{Title: "one", Provider: "github", Body: Text{Text: "password: Tr0ub4dor-and-3 in vault."}, Raw: json.RawMessage(`{"body":"password: Tr0ub4dor-and-3 in vault."}`)}
	if err := n.clean(); err != nil {
		t.Fatal(err)
	}
	if kept := n.kept(); kept != `{"body":"password: [redacted password] in vault."}` {
		t.Error(kept)
	}
	if kinds := redact.Taken(); len(kinds) != 1 {
		t.Errorf("counted %q", kinds)
	}
}

// The fields that a refusal offers for change are those that the tracker has.
func TestChangeable(t *testing.T) {
	for name, want := range map[provider.Name]string{provider.Asana: "labels, custom fields", provider.GitHub: "labels, sprint", provider.Jira: "labels, points, sprint, custom fields"} {
		kind, _ := provider.KindOf(name)
		if got := strings.Join(changeable(kind, nil), ", "); !strings.HasSuffix(got, want) || !strings.HasPrefix(got, "title, ") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
