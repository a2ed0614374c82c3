package project_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// A folder whose remote is added or changed has a former project, which is named until something is kept under the new one.
func TestFormerProjectOfAFolder(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	local := project.Identity{UID: "p-local", Name: "app", Folder: "/app"}
	first := project.Identity{UID: "p-first", Name: "app", Remote: "example.com/acme/app", Folder: "/app"}
	second := project.Identity{UID: "p-second", Name: "app-two", Remote: "example.com/acme/app-two", Folder: "/app"}
	elsewhere := project.Identity{UID: "p-else", Name: "else", Remote: "example.com/acme/else", Folder: "/else"}
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, step := range []struct {
			id   project.Identity
			want string // id of the former project
		}{{local, ""}, {first, "p-local"}, {second, "p-first"}, {elsewhere, ""}, {second, ""}} {
			was, ok, err := project.Former(tx, step.id)
			if err != nil || ok != (step.want != "") || was.UID != step.want {
				t.Errorf("%s was %q, %v, %v; want %q", step.id.UID, was.UID, ok, err, step.want)
			}
			if step.want != "" {
				_, err := project.Place{At: &step.id}.Find(tx)
				if f := fault.From(err); f == nil || f.Kind != fault.KindNotFound || !strings.Contains(f.Hint, step.want) {
					t.Errorf("%s: %v", step.id.UID, err)
				}
			}
			p, err := project.Ensure(tx, step.id)
			if err != nil {
				return err
			}
			if (p.Former != nil) != (step.want != "") || p.Former != nil && p.Former.UID != step.want {
				t.Errorf("%s, made: former %v", step.id.UID, p.Former)
			}
			if _, ok, err := project.Former(tx, step.id); ok || err != nil {
				t.Errorf("%s, once it is known: %v %v", step.id.UID, ok, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
