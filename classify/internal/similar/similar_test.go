package similar_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/classify/internal/similar"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

func deps(names ...string) (all []profile.Dependency) {
	for _, name := range names {
		all = append(all, profile.Dependency{Ecosystem: "npm", Name: name})
	}
	return all
}

// TestCompare is the table of R12.4.
func TestCompare(t *testing.T) {
	base := profile.Profile{Language: "go", Framework: "gin", Scope: "Invoice API", Declared: deps("a", "b", "c", "d")}
	for name, c := range map[string]struct {
		other profile.Profile
		want  float64
	}{
		"itself":                         {base, 1},
		"language alone":                 {profile.Profile{Language: "go"}, 0.4},
		"framework alone":                {profile.Profile{Framework: "gin"}, 0.3},
		"scope in other words' order":    {profile.Profile{Scope: "an API: invoice"}, 0.2},
		"part of the scope":              {profile.Profile{Scope: "API"}, 0},
		"a quarter of the dependencies":  {profile.Profile{Declared: deps("a")}, 0.025},
		"one of the larger five":         {profile.Profile{Declared: deps("a", "v", "w", "x", "y")}, 0.02},
		"the same name elsewhere":        {profile.Profile{Declared: []profile.Dependency{{Ecosystem: "pypi", Name: "a"}}}, 0},
		"nothing":                        {profile.Profile{}, 0},
		"unknown":                        {profile.Profile{Language: "unknown", Framework: "unknown", Scope: "unknown"}, 0},
		"language, framework and scope":  {profile.Profile{Language: "go", Framework: "gin", Scope: "invoice api"}, 0.9},
		"another language of one script": {profile.Profile{Language: "golang"}, 0},
	} {
		if got := similar.Compare(&base, &c.other).Score(); got != c.want {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
		if got, back := similar.Compare(&base, &c.other), similar.Compare(&c.other, &base); got != back {
			t.Errorf("%s: %+v, and back %+v", name, got, back)
		}
	}
	unknown := profile.Profile{Language: "unknown", Framework: "unknown", Scope: "unknown"}
	if got := similar.Compare(&unknown, &unknown).Score(); got != 0 {
		t.Errorf("two unknown ones: %g", got)
	}
}

// TestFindIsCompare: the search in the registry returns, in the same order, the result of comparing one by one.
func TestFindIsCompare(t *testing.T) {
	db := registrytest.Open(t)
	store := profile.Store{DB: db}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	var all []profile.Profile
	for i := range 150 {
		p := profile.Profile{
			Name: fmt.Sprint("p", i), Path: fmt.Sprint("/p/", i), Language: pick("go", "php", "unknown"), Framework: pick("gin", "laravel", "unknown", "echo"),
			Scope: pick("API", "CLI", "the api", "unknown"), Details: profile.Details{Origins: map[string]profile.Origin{}},
		}
		for range r.IntN(6) {
			p.Declared = append(p.Declared, deps(pick("a", "b", "c", "d", "e", "f"))...)
		}
		p.Declared = profile.SortDependencies(p.Declared)
		stored, created, err := store.Put(t.Context(), project.Identity{UID: fmt.Sprintf("p-%03d", i), Name: p.Name, Folder: p.Path}, []profile.Profile{p})
		if err != nil || !created {
			t.Fatal(err)
		}
		all = append(all, stored)
	}
	for _, o := range []similar.Options{{}, {Limit: 5}, {Min: similar.Threshold}, {Min: similar.Threshold, Limit: 5}, {Min: similar.Threshold, Limit: 1}, {Min: 0.7}, {Min: 0.05}, {Min: 0.95, Limit: 40}, {Min: 0.4, Limit: 30}} {
		for i := range 20 {
			p := &all[i]
			least := o.Min
			var want []float64
			for j := range all {
				if score := similar.Compare(p, &all[j]).Score(); j != i && score >= least {
					want = append(want, score)
				}
			}
			slices.SortFunc(want, func(a, b float64) int { return cmp.Compare(b, a) })
			if o.Limit > 0 {
				want = want[:min(len(want), o.Limit)]
			}
			got, err := similar.Find(t.Context(), db, p, o)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%+v of %s: %d, want %d, %v", o, p.Name, len(got), len(want), err)
			}
			for k, m := range got {
				if math.Abs(m.Score-want[k]) > 1e-9 || m.Breakdown.Score() != m.Score || m.Name == p.Name {
					t.Errorf("%+v of %s: place %d is %+v, want %g", o, p.Name, k, m, want[k])
				}
			}
		}
	}
}

// TestFindPutsTheSameMatterFirst: among equal scores, the one whose name and scope share words comes first.
func TestFindPutsTheSameMatterFirst(t *testing.T) {
	store := profile.Store{DB: registrytest.Open(t)}
	var subject profile.Profile
	for _, name := range []string{"charts", "role-docker", "role-nginx"} {
		p := profile.Profile{Name: name, Path: "/p/" + name, Language: "yaml", Scope: "what is in " + name, Details: profile.Details{Origins: map[string]profile.Origin{}}}
		stored, _, err := store.Put(t.Context(), project.Identity{UID: "p-" + name, Name: name, Folder: p.Path}, []profile.Profile{p})
		if err != nil {
			t.Fatal(err)
		}
		subject = stored
	}
	found, err := similar.Find(t.Context(), store.DB, &subject, similar.Options{Min: similar.Threshold})
	if err != nil || len(found) != 2 || found[0].Name != "role-docker" || found[0].Score != found[1].Score {
		t.Errorf("%+v, %v", found, err)
	}
}

// BenchmarkFind: the best ten of 10,000 profiles in 100 projects, beside a statement that reads the fields of each and the number of its
// dependencies. Goal: 50 ms.
func BenchmarkFind(b *testing.B) {
	db := registrytest.OpenPlain(b)
	store := profile.Store{DB: db}
	r := rand.New(rand.NewPCG(1, 2))
	var target profile.Profile
	for i := range 100 {
		id := project.Identity{UID: fmt.Sprint("p-", i), Name: fmt.Sprint("p", i), Folder: fmt.Sprint("/p/", i)}
		all := make([]profile.Profile, 100)
		for k := range all {
			p := profile.Profile{
				Name: fmt.Sprint("p", i, "-", k), Path: id.Folder, Language: []string{"typescript", "python", "go"}[r.IntN(3)], Framework: fmt.Sprint("f", r.IntN(20)),
				Scope: fmt.Sprint("scope ", r.IntN(50)), Details: profile.Details{Origins: map[string]profile.Origin{}},
			}
			if k > 0 {
				p.Package = fmt.Sprint("package", k)
			}
			for range 30 {
				p.Declared = append(p.Declared, deps(fmt.Sprint("dep-", r.IntN(500)))...)
			}
			p.Declared = profile.SortDependencies(p.Declared)
			all[k] = p
		}
		var err error
		if target, _, err = store.Put(b.Context(), id, all); err != nil {
			b.Fatal(err)
		}
	}
	benchtest.Beside(b, "bare", benchtest.Of(func() error {
		found, err := similar.Find(b.Context(), db, &target, similar.Options{Limit: 10})
		if err == nil && len(found) != 10 {
			err = fmt.Errorf("%d were found", len(found))
		}
		return err
	}), benchtest.Of(func() error {
		return db.Read(b.Context(), func(tx *registry.Tx) error {
			_, err := registry.Collect(tx, func(row registry.Scanner) (p [4]string, err error) {
				return p, row.Scan(&p[0], &p[1], &p[2], &p[3])
			}, `SELECT p.language, p.framework, p.scope, (SELECT COUNT(*) FROM profile_dependencies d WHERE d.profile_id = p.id) FROM profiles p`)
			return err
		})
	}))
}
