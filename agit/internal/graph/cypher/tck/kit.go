package tck

import (
	"os"
	"path/filepath"
	"testing"
)

// Kit returns the folder of the compatibility kit and its scenarios: TCK_DIR, or shared/tck beside the repository. It skips the test where
// there is none.
func Kit(t testing.TB) (dir string, scenarios []Scenario) {
	t.Helper()
	dir = os.Getenv("TCK_DIR")
	for up, n := "..", 0; dir == "" && n < 8; up, n = filepath.Join(up, ".."), n+1 {
		if beside := filepath.Join(up, "shared", "tck"); isFolder(filepath.Join(beside, "features")) {
			dir = beside
		}
	}
	if dir == "" {
		t.Skip("there is no compatibility kit in shared/tck beside the repository")
	}
	scenarios, err := Read(filepath.Join(dir, "features"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, scenarios
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
