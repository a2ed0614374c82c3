// Package schematest holds what goes over the wire between pmsync and the
// trackers, and what the trackers of the tests answer, against the trackers'
// official schemas. It is a module of its own so that pmsync does not depend on
// the validators.
//
// The schemas are not part of the project: the tests look for them in the folder
// that PMSYNC_SPECS names, else in shared/specs beside the repository, and are
// skipped where they are not.
package schematest

import (
	"os"
	"path/filepath"
	"testing"
)

// spec reads a schema, or skips the test.
func spec(t *testing.T, parts ...string) []byte {
	t.Helper()
	folder := os.Getenv("PMSYNC_SPECS")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "specs")
	}
	text, err := os.ReadFile(filepath.Join(append([]string{folder}, parts...)...))
	if os.IsNotExist(err) {
		t.Skipf("the schema %s is not in %s; set PMSYNC_SPECS to the folder of the schemas", filepath.Join(parts...), folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}
