package ticket

import (
	"encoding/json"
	"testing"

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
