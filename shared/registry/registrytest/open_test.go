package registrytest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
)

// Two empty registries are two, in their rows and in their files' headers; one that was lost is not replaced by an empty one.
func TestCopiesOfAnEmptyRegistry(t *testing.T) {
	t.Parallel()
	if OnServer() {
		t.Skip("a server copies its own template")
	}
	uids, headers := map[string]bool{}, map[string]bool{}
	for range 2 {
		path := filepath.Join(t.TempDir(), "new folder", "agit.db")
		db := OpenAt(t, path)
		err := db.Read(t.Context(), func(tx *registry.Tx) error {
			uid, err := registry.One[string](tx.QueryRow(`SELECT value FROM registry_meta WHERE key = 'registry_uid'`))
			uids[uid] = true
			if beside, _ := os.ReadFile(path + "-id"); string(beside) != uid+"\n" {
				t.Errorf("the file of the id holds %q, the registry %q", beside, uid)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		headers[string(file[68:72])] = true
	}
	if len(uids) != 2 || len(headers) != 2 {
		t.Errorf("two registries have the ids %v and the numbers %v", uids, headers)
	}

	lost := filepath.Join(t.TempDir(), "agit.db")
	if err := os.WriteFile(lost+"-id", []byte("an id\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	copyEmpty(t, lost)
	if _, err := os.Stat(lost); err == nil {
		t.Error("a lost registry was replaced")
	}
}
