package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A caller names a project by id, by name, by a folder, or not at all.
func TestAPlaceIsFoundAsItIsSaid(t *testing.T) {
	db := registrytest.Open(t)
	dir := t.TempDir()
	at := filepath.Join(dir, "app")
	mkdir(t, at)
	find := func(given, dir string) (p project.Project, err error) {
		place, err := project.Locate(given, dir)
		if err != nil {
			return p, err
		}
		err = db.Read(t.Context(), func(tx *registry.Tx) (err error) { p, err = place.Find(tx); return err })
		return p, err
	}
	if _, err := find("", at); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("an unknown folder: %v", err)
	}
	place, err := project.Locate("", at)
	if err != nil {
		t.Fatal(err)
	}
	var made project.Project
	err = db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) (err error) {
		if made, err = place.Ensure(tx); err != nil {
			return err
		}
		for _, uid := range []string{"one", "two"} {
			twin, err := project.Make(tx, project.New{UID: uid, Name: "twin"})
			if err == nil && uid == "two" {
				err = project.Follow(tx, twin.ID, "/second")
			}
			if err != nil {
				return err
			}
		}
		return tx.Do(`INSERT INTO repos (uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at, removed_at)
			VALUES ('u', ?, 'Mine', 'mine', 'h', 'p', 'd', 'main', ?, ?, NULL), ('v', ?, 'Gone', 'gone', 'h', 'q', 'e', 'main', ?, ?, ?)`,
			made.ID, tx.Stamp(), tx.Stamp(), made.ID, tx.Stamp(), tx.Stamp(), tx.Stamp())
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ given, dir string }{
		{"", at}, {".", at}, {"./app", dir}, {"../app", at}, {at, "/"}, {made.UID, ""}, {strings.ToUpper(made.UID), ""}, {"APP", ""}, {"mine", ""},
	} {
		if p, err := find(tc.given, tc.dir); err != nil || p.ID != made.ID {
			t.Errorf("%+v: %+v, %v", tc, p, err)
		}
	}
	for given, kind := range map[string]fault.Kind{
		"": fault.KindValidation, "nowhere": fault.KindNotFound, "gone": fault.KindNotFound, "twin": fault.KindValidation, "a\nb": fault.KindValidation, filepath.Join(dir, "no"): fault.KindValidation,
	} {
		_, err := find(given, "")
		if f := fault.From(err); f == nil || f.Kind != kind || f.Hint == "" {
			t.Errorf("%q: %v", given, err)
		} else if given == "twin" && f.Hint != "give one of the ids one, two (/second)" {
			t.Error(f.Hint)
		}
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
