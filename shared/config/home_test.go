package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// A home folder that is not a whole path is refused like an unknown one, unless AGIT_HOME needs none: it would be another in each folder.
func TestHomeFolderIsWhole(t *testing.T) {
	t.Parallel()
	whole, err := filepath.Abs("x")
	if err != nil {
		t.Fatal(err)
	}
	for userHome, why := range map[string]string{"": "is not known", "rel": `"rel" is not a whole path`} {
		if at, err := HomeFolder("", userHome); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("HOME %q: %q, %v", userHome, at, err)
		}
		if at, err := HomeFolder(whole, userHome); at != whole || err != nil {
			t.Errorf("HOME %q: %q, %v", userHome, at, err)
		}
	}
}
