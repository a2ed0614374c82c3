//go:build unix

package task_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// benched is a registry with a repository named app, opened by several that keep their connections.
type benched struct {
	b   *testing.B
	all []*task.Store
}

func newBenched(b *testing.B, server string, openers int) *benched {
	b.Helper()
	x := &benched{b: b}
	path := filepath.Join(b.TempDir(), "agit.db")
	for range openers {
		db, err := registry.Open(b.Context(), registry.Options{Path: path, Server: server, Readers: 2})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
		x.all = append(x.all, &task.Store{DB: db})
	}
	x.write(func(tx *registry.Tx) error {
		for _, statement := range []string{
			`INSERT INTO projects (id, uid, name, created_at, updated_at) VALUES (1000, 'p', 'app', ?, ?)`,
			`INSERT INTO repos (id, uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
			 VALUES (1000, 'r', 1000, 'app', 'app', '` + registry.Host() + `', '/app', '/app/.git', 'main', ?, ?)`,
		} {
			if err := tx.Do(statement, tx.Stamp(), tx.Stamp()); err != nil {
				return err
			}
		}
		return nil
	})
	return x
}

func (x *benched) write(fn func(*registry.Tx) error) {
	x.b.Helper()
	if err := x.all[0].DB.Write(x.b.Context(), registry.Everything, fn); err != nil {
		x.b.Fatal(err)
	}
}

// fill makes ready tasks.
func (x *benched) fill(n int) {
	x.b.Helper()
	x.write(func(tx *registry.Tx) error {
		for i := range n {
			if _, err := task.Make(tx, task.New{Repo: "r", Text: fmt.Sprintf("task %d", i), Priority: work.PriorityMedium}); err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkEngines: a task made, one claimed and a list of a hundred read on PostgreSQL over a socket, beside the same in a file.
func BenchmarkEngines(b *testing.B) {
	server := newBenched(b, registrytest.NewDurableCluster(b).URL("postgres"), 1)
	file := newBenched(b, "", 1)
	const ready = 2000
	server.fill(ready)
	file.fill(ready)
	for _, c := range []struct {
		name string
		do   func(context.Context, *task.Store) error
	}{
		{"create", func(ctx context.Context, s *task.Store) error {
			_, err := s.Create(ctx, []task.New{{Repo: "app", Text: "another"}})
			return err
		}},
		{"claim", func(ctx context.Context, s *task.Store) error {
			_, ok, err := s.Next(ctx, "app", "ann")
			if err == nil && !ok {
				err = fmt.Errorf("nothing is ready")
			}
			return err
		}},
		{"ready", func(ctx context.Context, s *task.Store) error {
			_, err := s.Ready(ctx, task.Filter{Repo: "app", Limit: 100})
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			benchtest.Beside(b, "file", benchtest.Of(func() error { return c.do(b.Context(), server.all[0]) }), benchtest.Of(func() error { return c.do(b.Context(), file.all[0]) }))
		})
	}
}

// BenchmarkClaims32: 32 openers with connections of their own claim all of 2,000 tasks on PostgreSQL, beside one that claims
// some alone; one operation is a claim of the 32.
func BenchmarkClaims32(b *testing.B) {
	const tasks, few = 2000, 100
	together := newBenched(b, registrytest.NewDurableCluster(b).URL("postgres"), 32)
	alone := newBenched(b, registrytest.NewDurableCluster(b).URL("postgres"), 1)
	for range max(b.N, 1) {
		one := alone.drain(few, 1, false)
		all := together.drain(tasks, 1, false)
		b.ReportMetric(all.took.Seconds()*1e9/tasks, "ns/op")
		b.ReportMetric(benchtest.Ratio(all.took/tasks, one.took/few), "x-alone")
		b.ReportMetric(tasks/all.took.Seconds(), "claims/s")
		b.ReportMetric(float64(all.twice), "claimed-twice")
		b.ReportMetric(float64(all.early), "told-nothing-is-ready")
	}
}

// BenchmarkTeam: 200 agents on 40 hosts claim tasks of one project and complete them, on one PostgreSQL on this machine, beside one
// agent that does the same alone; one operation is a task from claim to completion.
func BenchmarkTeam(b *testing.B) {
	const hosts, each, tasks, few = 40, 5, 2000, 100
	c := registrytest.NewDurableCluster(b)
	team := newBenched(b, c.URL("postgres"), hosts)
	alone := newBenched(b, registrytest.NewDurableCluster(b).URL("postgres"), 1)
	for range max(b.N, 1) {
		one := alone.drain(few, 1, true)
		watch := team.watch()
		all := team.drain(tasks, each, true)
		w := watch()
		b.ReportMetric(all.took.Seconds()*1e9/tasks, "ns/op")
		b.ReportMetric(benchtest.Ratio(all.took/tasks, one.took/few), "x-alone")
		b.ReportMetric(tasks/all.took.Seconds(), "claims/s")
		b.ReportMetric(benchtest.Milliseconds(benchtest.Percentile(all.claims, 95)), "ms-claim-p95")
		b.ReportMetric(benchtest.Milliseconds(benchtest.Percentile(all.reports, 95)), "ms-report-p95")
		b.ReportMetric(float64(all.twice), "claimed-twice")
		b.ReportMetric(float64(all.early), "told-nothing-is-ready")
		for kind, n := range w.rows {
			b.ReportMetric(float64(n)/tasks, kind+"/task")
		}
		for event, share := range w.waits {
			b.ReportMetric(share, "%-"+event)
		}
	}
}

// drained is the result of drain.
type drained struct {
	took            time.Duration
	claims, reports []time.Duration
	twice           int
	early           int // answers "nothing is ready" before all were claimed
}

// drain fills the queue and has agents claim all of it, each opener for some, and complete the tasks if asked to.
func (x *benched) drain(tasks, agents int, complete bool) (d drained) {
	x.b.Helper()
	x.fill(tasks)
	var mu sync.Mutex
	var left atomic.Int64
	left.Store(int64(tasks))
	seen := map[string]bool{}
	var group errgroup.Group
	began := time.Now()
	for h, s := range x.all {
		for a := range agents {
			group.Go(func() error {
				name := fmt.Sprintf("agent-%d-%d", h, a)
				for {
					at := time.Now()
					t, ok, err := s.Next(x.b.Context(), "app", name)
					if err != nil {
						return err
					}
					claimed := time.Since(at)
					if !ok {
						if left.Load() <= int64(len(x.all)*agents) { // each of the others may have one that it did not count yet
							return nil
						}
						mu.Lock()
						d.early++
						mu.Unlock()
						return nil
					}
					left.Add(-1)
					at = time.Now()
					if complete {
						_, err = s.Report(x.b.Context(), task.Report{Caller: task.Caller{Agent: name}, ID: t.ID, Status: task.Completed})
					}
					if err != nil {
						return err
					}
					reported := time.Since(at)
					mu.Lock()
					if seen[t.ID] {
						d.twice++
					}
					seen[t.ID] = true
					d.claims, d.reports = append(d.claims, claimed), append(d.reports, reported)
					mu.Unlock()
				}
			})
		}
	}
	if err := group.Wait(); err != nil {
		x.b.Fatal(err)
	}
	d.took = time.Since(began)
	if len(seen) != tasks {
		x.b.Fatalf("%d of %d tasks were claimed", len(seen), tasks)
	}
	return d
}

// watched is what a server did during the benchmark.
type watched struct {
	rows  map[string]int64   // transactions and rows, by kind
	waits map[string]float64 // shares of its busy connections' activities, in percent
}

// watch observes a server until the returned function is called.
func (x *benched) watch() func() watched {
	x.b.Helper()
	const counts = `SELECT xact_commit, tup_fetched, tup_inserted, tup_updated FROM pg_stat_database WHERE datname = current_database()`
	const busy = `SELECT COALESCE(wait_event_type, 'CPU'), COUNT(*) FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state IN ('active', 'idle in transaction') GROUP BY 1`
	kinds := []string{"transactions", "rows-read", "rows-inserted", "rows-updated"}
	s := x.all[0]
	count := func() (n [4]int64) {
		err := s.DB.Read(x.b.Context(), func(tx *registry.Tx) error {
			return tx.QueryRow(counts).Scan(&n[0], &n[1], &n[2], &n[3])
		})
		if err != nil {
			x.b.Fatal(err)
		}
		return n
	}
	seen, total := map[string]int{}, 0
	look := func() error {
		return s.DB.Read(x.b.Context(), func(tx *registry.Tx) error {
			_, err := registry.Collect(tx, func(row registry.Scanner) (none struct{}, err error) {
				var event string
				var n int
				if err = row.Scan(&event, &n); err == nil {
					seen[event] += n
					total += n
				}
				return none, err
			}, busy)
			return err
		})
	}
	before := count()
	ended, done := make(chan struct{}), make(chan error, 1)
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := look(); err != nil {
					done <- err
					return
				}
			case <-ended:
				done <- nil
				return
			}
		}
	}()
	return func() watched {
		close(ended)
		if err := <-done; err != nil {
			x.b.Fatal(err)
		}
		after := count()
		w := watched{rows: map[string]int64{}, waits: map[string]float64{}}
		for i, kind := range kinds {
			w.rows[kind] = after[i] - before[i]
		}
		for event, n := range seen {
			w.waits[event] = 100 * float64(n) / float64(max(total, 1))
		}
		return w
	}
}
