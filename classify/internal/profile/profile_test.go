package profile_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

func TestScopeKey(t *testing.T) {
	for scope, want := range map[string]string{
		"CMS": "cms", "a CMS": "cms", "REST API, for invoices": "api invoices rest", "API API": "api", "": "", "unknown": "", "The project": "", "C++ tools": "c++ tools", "N/A": "",
		"Gestión de facturas": "de facturas gestión",
	} {
		if got := profile.ScopeKey(scope); got != want {
			t.Errorf("%q: %q, want %q", scope, got, want)
		}
	}
}

func TestKeys(t *testing.T) {
	a := []profile.Dependency{{"npm", "a"}, {"npm", "b"}, {"npm", "c"}, {"pypi", "a"}}
	b := []profile.Dependency{{"pypi", "a"}, {"npm", "c"}, {"npm", "x"}}
	if shared, most := profile.Shared(profile.Keys(a), profile.Keys(b)); shared != 2 || most != 4 {
		t.Errorf("%d of %d", shared, most)
	}
	if shared, most := profile.Shared("", profile.Keys(b)); shared != 0 || most != 3 {
		t.Errorf("%d of %d", shared, most)
	}
}

func sample(path, pkg string) profile.Profile {
	return profile.Profile{
		Name: "app", Path: path, Package: pkg, Language: "go", Framework: "gin", Scope: "API", ManifestType: "go.mod", AgentsmdHash: "h", InputHash: "i",
		Declared: []profile.Dependency{{"go", "a"}, {"npm", "a"}}, Dependencies: []string{"a"},
		Details: profile.Details{
			Manifests: []string{"go.mod"}, Frameworks: []string{"gin"}, Languages: []profile.Part{{"go", 1, 1}},
			Origins: map[string]profile.Origin{"language": {"go.mod", "high"}}, Description: "words with 100% _ signs", Problems: []string{"x: y"},
		},
	}
}

// TestPutAndGet: a stored profile is read back, storing twice equals once, profiles of removed packages go, and those outside the folder
// stay.
func TestPutAndGet(t *testing.T) {
	store := profile.Store{DB: registrytest.Open(t)}
	id := project.Identity{UID: "p-1", Name: "app", Folder: "/app"}
	put := func(all ...profile.Profile) (profile.Profile, bool) {
		t.Helper()
		p, created, err := store.Put(t.Context(), id, all)
		if err != nil {
			t.Fatal(err)
		}
		return p, created
	}
	stored, created := put(sample("/app", ""), sample("/app/a", "a"), sample("/app/a/b", "a/b"), sample("/app/ab", "ab"))
	if !created || stored.Project != "p-1" || stored.ClassifiedAt.IsZero() {
		t.Errorf("%v %+v", created, stored)
	}
	got, ok, err := store.Known(t.Context(), id, "")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if diff := cmp.Diff(stored, got); diff != "" {
		t.Error(diff)
	}
	if _, created := put(sample("/app/a", "a")); created {
		t.Error("a package is created twice")
	}
	packages := func() (all []string) {
		found, err := store.List(t.Context(), profile.Filter{Packages: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found {
			all = append(all, e.Package)
		}
		slices.Sort(all)
		return all
	}
	if diff := cmp.Diff([]string{"", "a", "ab"}, packages()); diff != "" {
		t.Error(diff)
	}
	put(sample("/app", ""), sample("/app/new", "new"))
	if diff := cmp.Diff([]string{"", "new"}, packages()); diff != "" {
		t.Error(diff)
	}
	if found, err := store.List(t.Context(), profile.Filter{}); err != nil || len(found) != 1 || found[0].Package != "" {
		t.Errorf("asked for: %+v, %v", found, err)
	}
	if dropped, err := store.Forget(t.Context(), "p-1", "", true); err != nil || len(dropped) != 2 || len(packages()) != 2 {
		t.Errorf("a dry run: %q, %v", dropped, err)
	}
	if dropped, err := store.Forget(t.Context(), "p-1", "new", false); err != nil || len(dropped) != 1 || len(packages()) != 1 {
		t.Errorf("one: %q, %v", dropped, err)
	}
	if _, err := store.Forget(t.Context(), "p-1", "", false); err != nil || len(packages()) != 0 {
		t.Errorf("all: %v", err)
	}
	left := -1
	err = store.DB.Read(t.Context(), func(tx *registry.Tx) error {
		left, err = registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM profile_dependencies`))
		return err
	})
	if err != nil || left != 0 {
		t.Errorf("%d dependencies are left, %v", left, err)
	}
}

func TestSearch(t *testing.T) {
	store := profile.Store{DB: registrytest.Open(t)}
	for i, p := range []profile.Profile{sample("/src/app", ""), sample("/src/other", "")} {
		p.Name = []string{"app", "other"}[i]
		if i == 1 {
			p.Description, p.Declared, p.Dependencies = "an app too", nil, nil
		}
		if _, _, err := store.Put(t.Context(), project.Identity{UID: p.Name, Name: p.Name, Folder: p.Path}, []profile.Profile{p}); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string][]string{
		"app": {"app", "other"}, "GIN api": {"app", "other"}, "100%": {"app"}, "%": {"app"}, "_": {"app"}, "!": {}, "app nothing": {}, "'": {}, "src": {"app", "other"},
	} {
		found, err := store.List(t.Context(), profile.Filter{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, e := range found {
			got = append(got, e.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if found, err := store.List(t.Context(), profile.Filter{Dependency: "a", Limit: 1}); err != nil || len(found) != 1 || found[0].Name != "app" {
		t.Errorf("by dependency: %+v, %v", found, err)
	}
}
