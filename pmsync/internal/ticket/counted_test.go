package ticket

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
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

// A custom field whose value at the tracker has a secret is not sent with another one: the push would put the tracker's back.
func TestANewSecretInACustomField(t *testing.T) {
	i := newImporter(t)
	const old, other = "password: Tr0ub4dor-and-3", "password: Xk29vbTq81mzPw"
	i.put(New{Key: "J-1", RemoteID: "1", Fields: []Field{{Name: "Login", Value: old}}})
	set := func(value string) error {
		_, err := i.store.Update(t.Context(), i.by, "id", "J-1", Edit{Fields: []Field{{Name: "login", Value: value}}})
		return err
	}
	if err := set("ann, " + other); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "the new login of J-1 has a secret") {
		t.Errorf("another secret: %v", err)
	}
	if err := set("ann, password: [redacted password]"); err != nil {
		t.Errorf("the mark: %v", err)
	}
	if err := set(other); !fault.Is(err, fault.KindConflict) {
		t.Errorf("another secret over a waiting change: %v", err)
	}
}
