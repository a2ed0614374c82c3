package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A registry that is deleted under a server is noticed at the next call, over every transport: nothing is acknowledged that other
// programs cannot see.
func TestServerNoticesALostRegistry(t *testing.T) {
	registrytest.OnlySQLite(t, "there is no file")
	t.Parallel()
	for _, transport := range []string{"stdio", "http"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.connect(t, transport)
			c.MustCall(t, "agit_create_task", args{"repo": "app", "description": "first"}, nil)
			path := filepath.Join(w.home, ".agit", "agit.db")
			saved := filepath.Join(w.home, "saved.db")
			w.agit(t, "db", "backup", saved)
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.Remove(path + suffix); err != nil {
					t.Fatal(err)
				}
			}
			for _, call := range []struct {
				tool string
				in   args
			}{
				{"agit_create_task", args{"repo": "app", "description": "second"}},
				{"agit_list_tasks", args{"repo": "app"}},
			} {
				f := c.MustFail(t, call.tool, call.in)
				if f.Kind != "DatabaseError" || !strings.Contains(f.Message, "was deleted") {
					t.Errorf("%s: %v", call.tool, f)
				}
			}
			w.agit(t, "db", "restore", saved, "--yes")
			c.MustCall(t, "agit_create_task", args{"repo": "app", "description": "third"}, nil)
			var list struct{ Tasks []struct{ Name string } }
			w.read(t, &list, "tasks", "app", "--json")
			if len(list.Tasks) != 2 {
				t.Errorf("tasks %v", list.Tasks)
			}
		})
	}
}
