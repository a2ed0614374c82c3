package graph_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/work"
)

// A follower gets the events after a number, then the later ones once each, of one project or of all, until it stops.
func TestFollow(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	_, err := p.CreateProject(t.Context(), graph.NewProject{ID: "lib", Name: "Lib"})
	p.must(err)
	before, err := p.Log(t.Context(), "app", 0)
	p.must(err)
	last, err := p.LastEvent(t.Context())
	if p.must(err); last == 0 || last != before[len(before)-1].Seq {
		t.Fatalf("the newest event is %d of %+v", last, before)
	}
	change := func() {
		for _, n := range []graph.NewTask{{ID: "L-1", Name: "Sort", Project: "lib"}, {ID: "T-8", Name: "Late", Project: "app"}} {
			_, err := p.Plan(t.Context(), n)
			p.must(err)
		}
	}
	stopped := errors.New("enough")
	follow := func(project string, after int64, ready func(), until string) (refs []string, err error) {
		t.Helper()
		var seen []int64
		err = p.Follow(t.Context(), project, after, ready, func(l work.Logged) error {
			if slices.Contains(seen, l.Seq) {
				t.Errorf("event %d comes twice", l.Seq)
			}
			seen = append(seen, l.Seq)
			if !slices.Contains(refs, l.Item) {
				refs = append(refs, l.Item)
			}
			if l.Item == until {
				return stopped
			}
			return nil
		})
		return refs, err
	}
	for _, c := range []struct {
		name, project string
		after         int64
		ready         func()
		until         string
		want          []string
	}{
		{"the first events", "app", 0, func() {}, "T-1", []string{"E-1", "T-1"}},
		{"later ones", "app", last, change, "T-8", []string{"T-8"}},
		{"those of all projects", "", last, func() {}, "T-8", []string{"L-1", "T-8"}},
		{"those of another", "lib", 0, func() {}, "L-1", []string{"L-1"}},
	} {
		if got, err := follow(c.project, c.after, c.ready, c.until); !errors.Is(err, stopped) || !cmp.Equal(c.want, got) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	if _, err := follow("none", 0, func() {}, ""); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("an unknown project: %v", err)
	}
	ctx, end := context.WithCancel(t.Context())
	if err := p.Follow(ctx, "", last, end, func(work.Logged) error { return nil }); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
	limited, err := p.Log(t.Context(), "", 2)
	if p.must(err); len(limited) != 2 || limited[0].Seq >= limited[1].Seq || limited[1].Item != "T-8" {
		t.Errorf("the newest two: %+v", limited)
	}
}

// Each sort of relationship is a step, in its direction and against it.
func TestStepsOfEachRelation(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	ctx := t.Context()
	_, err := p.AddArtifacts(ctx, "T-1", "", []graph.Produced{{Path: "form.go"}}, "ann")
	p.must(err)
	arts, err := p.Artifacts(ctx, "app", "T-1")
	p.must(err)
	_, err = p.RecordScenario(ctx, graph.ScenarioRecord{ID: "S-1", Name: "Log in", Project: "app", Validates: []string{"T-1"}})
	p.must(err)
	_, err = p.ReportBug(ctx, graph.BugReport{ID: "B-1", Title: "It breaks", Severity: "low", Project: "app", FoundIn: "T-1", FoundBy: "bob"})
	p.must(err)
	_, err = p.AddLink(ctx, graph.Link{A: "T-3", Relation: "related_to", B: "T-2"})
	p.must(err)
	p.must(p.DB.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
		a, err := work.Create(tx, work.NewItem{ProjectID: must(work.Find(tx, "", "T-1")).ProjectID, Kind: work.KindTicket, Ref: "X-1", Text: "A ticket", Status: "open"})
		if err != nil {
			return err
		}
		return tx.Do(`UPDATE items SET origin_id = ? WHERE ref = 'T-3'`, a.ID)
	}))
	art := arts[0].ID
	for _, c := range []struct{ from, to, relation string }{
		{"T-1", "T-2", "blocks"}, {"T-3", "T-2", "related_to"}, {"E-1", "T-1", "parent_of"}, {"X-1", "T-3", "origin_of"}, {"T-1", art, "produces"}, {"T-1", "S-1", "validates"}, {"B-1", "T-1", "found_in"},
	} {
		for _, forward := range []bool{true, false} {
			from, to := c.from, c.to
			if !forward {
				from, to = to, from
			}
			want := graph.Way{Items: []string{from, to}, Steps: []graph.Step{{From: from, To: to, Relation: c.relation, Forward: forward}}}
			got, err := p.Path(ctx, from, to)
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("%s → %s: %v %s", from, to, err, d)
			}
		}
	}
	got, err := p.Path(ctx, "B-1", "X-1")
	want := graph.Way{Items: []string{"B-1", "T-1", "T-2", "T-3", "X-1"}, Steps: []graph.Step{{"B-1", "T-1", "found_in", true}, {"T-1", "T-2", "blocks", true}, {"T-2", "T-3", "related_to", false}, {"T-3", "X-1", "origin_of", false}}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// The type of an artifact follows from its name, and its size from the first folder that has the file.
func TestArtifactsAreMeasured(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	here, repo := t.TempDir(), t.TempDir()
	_, err := p.CreateProject(t.Context(), graph.NewProject{ID: "lib", Name: "Lib"})
	p.must(err)
	for path, size := range map[string]int{filepath.Join(here, "a.png"): 3, filepath.Join(here, "x_test.go"): 5, filepath.Join(here, "sub", "n.md"): 7, filepath.Join(repo, "a.png"): 11, filepath.Join(repo, "out.json"): 13} {
		p.must(os.MkdirAll(filepath.Dir(path), 0o755))
		p.must(os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600))
	}
	var given []graph.Produced
	for name := range strings.SplitSeq("a.png b.JPG c.svg d.jpeg e.gif f.webp x_test.go a.test.ts a.spec.js test_x.py testx.py sub/n.md n.txt n.rst n.adoc n.pdf out.json o.html o.xml o.csv o.log main.go sub ../up.go none", " ") {
		given = append(given, graph.Produced{Path: name})
	}
	given = append(given, graph.Produced{Path: filepath.Join(repo, "out.json")}, graph.Produced{Path: " a.png2 ", Type: "report", Size: 99}, graph.Produced{Path: "main.go", Type: "test"})
	all, err := p.AddArtifacts(t.Context(), "T-1", here, given, "ann")
	p.must(err)
	var got []string
	for _, a := range all {
		got = append(got, fmt.Sprintf("%s %s %d", strings.ReplaceAll(filepath.ToSlash(a.Path), filepath.ToSlash(repo), "<repo>"), a.Type, a.Size))
		if a.Task != "T-1" || a.Project != "app" {
			t.Errorf("%+v", a)
		}
	}
	want := []string{"a.png screenshot 3", "b.JPG screenshot 0", "c.svg screenshot 0", "d.jpeg screenshot 0", "e.gif screenshot 0", "f.webp screenshot 0", "x_test.go test 5", "a.test.ts test 0", "a.spec.js test 0", "test_x.py test 0", "testx.py code 0",
		"sub/n.md documentation 7", "n.txt documentation 0", "n.rst documentation 0", "n.adoc documentation 0", "n.pdf documentation 0", "out.json report 0", "o.html report 0", "o.xml report 0", "o.csv report 0", "o.log report 0", "main.go test 0", "sub code 0", "../up.go code 0", "none code 0",
		"<repo>/out.json report 13", "a.png2 report 99"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	all, err = p.AddArtifacts(t.Context(), "T-1", "", []graph.Produced{{Path: "a.png"}, {Path: "a.png2", Type: "code"}}, "ann")
	if p.must(err); len(all) != len(want) || all[0].Size != 3 || all[len(all)-1].Size != 99 || all[len(all)-1].Type != "code" {
		t.Errorf("again, without the folder: %+v", all)
	}
	for _, bad := range []graph.Produced{{Path: " "}, {Path: "a", Type: "film"}, {Path: "a\nb"}} {
		if _, err := p.AddArtifacts(t.Context(), "T-1", here, []graph.Produced{bad}, "ann"); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := p.AddArtifacts(t.Context(), "none", here, given, "ann"); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("of no task: %v", err)
	}
	p.must(p.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error { // a repository here, one of another project and one of another machine
		for i, r := range []struct{ project, host, path string }{{"app", registry.Host(), repo}, {"lib", registry.Host(), here}, {"app", "elsewhere", here}} {
			if err := tx.Do(`INSERT INTO repos (uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
				SELECT ?, id, ?, ?, ?, ?, ?, 'main', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM projects WHERE uid = ?`, fmt.Sprint("r", i), fmt.Sprint("r", i), fmt.Sprint("r", i), r.host, r.path, fmt.Sprint(r.path, i), r.project); err != nil {
				return err
			}
		}
		return tx.Do(`INSERT INTO worktrees (uid, ref, repo_id, item_id, path, branch, status, created_at, updated_at)
			SELECT 'w', 'w-1', repos.id, items.id, ?, 'b', 'active', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM repos, items WHERE repos.uid = 'r0' AND items.ref = 'T-3'`, here)
	}))
	all, err = p.AddArtifacts(t.Context(), "T-3", "", []graph.Produced{{Path: "out.json"}, {Path: "a.png"}}, "ann")
	if p.must(err); len(all) != 2 || all[0].Size != 13 || all[1].Size != 3 {
		t.Errorf("from the worktree of the task, else the repository: %+v", all)
	}
	all, err = p.AddArtifacts(t.Context(), "T-2", "", []graph.Produced{{Path: "out.json"}, {Path: "a.png"}, {Path: "x_test.go"}}, "ann")
	if p.must(err); len(all) != 3 || all[0].Size != 13 || all[1].Size != 11 || all[2].Size != 0 {
		t.Errorf("from the repository of the project: %+v", all)
	}
}

// A report on a finished task is accepted again as it was, and refused when it adds something.
func TestFinalReportsAreRepeated(t *testing.T) {
	t.Parallel()
	p := newPlan(t)
	report := func(metrics map[string]any, paths ...string) error {
		var list []graph.Produced
		for _, path := range paths {
			list = append(list, graph.Produced{Path: path})
		}
		_, err := p.Report(t.Context(), graph.Progress{Caller: task.Caller{Agent: "ann"}, Task: "T-1", Status: task.Completed, Artifacts: list, Metrics: metrics})
		return err
	}
	p.must(report(map[string]any{"duration": "4m 30s", "tests": 12}, "a.go", "b.go"))
	for _, c := range []struct {
		metrics map[string]any
		paths   []string
		want    string
	}{
		{nil, nil, ""}, {nil, []string{"b.go"}, ""}, {map[string]any{"tests": 12}, []string{"a.go", "b.go"}, ""}, {map[string]any{"duration": "4m 30s"}, nil, ""},
		{nil, []string{"a.go", "c.go"}, `artifact "c.go" is new`}, {map[string]any{"tests": 13}, nil, `metric "tests" is new`}, {map[string]any{"lines": 1}, nil, `metric "lines" is new`},
	} {
		err := report(c.metrics, c.paths...)
		if c.want == "" && err != nil || c.want != "" && (!fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), `task "T-1" is already completed, and `+c.want)) {
			t.Errorf("%v %v: %v, want %q", c.metrics, c.paths, err, c.want)
		}
	}
	for _, bad := range []map[string]any{{"duration": "soon"}, {"duration": []int{1}}, {"a\nb": 1}, {"x": strings.Repeat("x", 1<<20)}} {
		_, err := p.Report(t.Context(), graph.Progress{Caller: task.Caller{Agent: "ann"}, Task: "T-3", Status: task.Completed, Metrics: bad})
		if !fault.Is(err, fault.KindValidation) {
			t.Errorf("%.60v: %v", bad, err)
		}
	}
}
