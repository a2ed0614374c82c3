package price

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// The built-in prices are those of testdata/default.json: a change of one is seen there.
func TestDefault(t *testing.T) {
	t.Parallel()
	text, err := json.MarshalIndent(Default(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, filepath.Join("testdata", "default.json"), string(text)+"\n")
}
