package catalogue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/classify/internal/similar"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Of the profiles a, b, c, d and of the package d/pkg the folders b, c and pkg are gone. That of e was never on this machine.
func TestFoldersThatAreGoneAreLeftOut(t *testing.T) {
	db := registrytest.Open(t)
	c := &catalogue.Catalogue{DB: db, Profiles: &profile.Store{DB: db}}
	root := t.TempDir()
	put := func(name, path string, more ...profile.Profile) {
		t.Helper()
		id := project.Identity{UID: "p-" + name, Name: name, Folder: filepath.Join(root, name)}
		p := profile.Profile{Name: name, Path: path, Language: "go"}
		if _, _, err := c.Profiles.Put(t.Context(), id, append([]profile.Profile{p}, more...)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		put(name, filepath.Join(root, name))
	}
	put("d", filepath.Join(root, "d"), profile.Profile{Name: "d-pkg", Package: "pkg", Path: filepath.Join(root, "d", "pkg"), Language: "go"})
	put("e", filepath.Join(root, "e-elsewhere"))
	for _, name := range []string{"a", "d"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		f    profile.Filter
		want string
		left int
	}{
		{profile.Filter{}, "[a d e]", 2},
		{profile.Filter{Packages: true}, "[a d e]", 3},
		{profile.Filter{Limit: 1}, "[a]", 0},
		{profile.Filter{Limit: 2}, "[a d]", 2},
		{profile.Filter{Limit: 9}, "[a d e]", 2},
	} {
		all, left, err := c.List(t.Context(), tc.f)
		var names []string
		for _, e := range all {
			names = append(names, e.Name)
		}
		if got := fmt.Sprint(names); err != nil || got != tc.want || left != tc.left {
			t.Errorf("%+v: %s without %d, %v", tc.f, got, left, err)
		}
	}
	found, err := c.Similar(t.Context(), catalogue.Which{Project: "p-a"}, similar.Options{Limit: 1})
	if err != nil || len(found.Projects) != 1 || found.Projects[0].Name != "d" {
		t.Error(cmp.Diff("d", fmt.Sprint(found.Projects)), err)
	}
}
