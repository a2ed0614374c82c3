package integration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agit-suite/agit/shared/benchtest"
)

// The benchmarks of this file run the real binaries, stripped as for a release, and report ratios to a baseline that alternates with
// them, so that a busy machine slows both. `make bench` runs them.

// bench is a HOME with the binaries, a repository named app, and the baseline programs.
type bench struct {
	b    *testing.B
	bin  string
	dir  string
	repo string
	env  []string
}

func newBench(b *testing.B, files int) *bench {
	b.Helper()
	dir := ownFolder(b)
	m := &bench{b: b, dir: dir, bin: filepath.Join(dir, "bin"), repo: filepath.Join(dir, "app")}
	m.env = environment(filepath.Join(dir, "home"))
	must(b, os.MkdirAll(m.bin, 0o755))
	must(b, os.WriteFile(filepath.Join(dir, "empty.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
	m.build("empty", filepath.Join(dir, "empty.go"))
	must(b, os.MkdirAll(m.repo, 0o755))
	m.git("init", "-q")
	m.commit(files)
	m.run("agit", "add", m.repo, "--name", "app", "-q")
	return m
}

// fileName is the path of a file of the repository.
func fileName(i int) string {
	return filepath.Join(fmt.Sprintf("d%02d", i/100), fmt.Sprintf("f%05d.txt", i))
}

// commit makes the repository one of so many files.
func (m *bench) commit(files int) {
	for i := range files {
		path := filepath.Join(m.repo, fileName(i))
		must(m.b, os.MkdirAll(filepath.Dir(path), 0o755))
		must(m.b, os.WriteFile(path, []byte(strings.Repeat(fmt.Sprintf("line of file %d\n", i), 20)), 0o644))
	}
	m.git("add", ".")
	m.git("commit", "-q", "--allow-empty", "-m", "files")
}

// linkedTrees spawns worktrees while the repository is small, enlarges it, and updates the worktrees by hard links and copies of one
// index: checking out half a million files keeps a disk busy for minutes.
func (m *bench) linkedTrees(count, files int) (trees []string) {
	for range count {
		trees = append(trees, strings.TrimSpace(m.run("agit", "spawn", "app", "--task", "x", "--jq", ".path")))
	}
	m.commit(files)
	head := strings.TrimSpace(m.run("git", "rev-parse", "HEAD"))
	var index []byte
	for n, tree := range trees {
		for i := range files {
			path := filepath.Join(tree, fileName(i))
			if i%100 == 0 {
				must(m.b, os.RemoveAll(filepath.Dir(path)))
				must(m.b, os.MkdirAll(filepath.Dir(path), 0o755))
			}
			must(m.b, os.Link(filepath.Join(m.repo, fileName(i)), path))
		}
		m.git("-C", tree, "reset", "-q", "--soft", head)
		file := filepath.Join(strings.TrimSpace(m.run("git", "-C", tree, "rev-parse", "--absolute-git-dir")), "index")
		if n == 0 {
			m.git("-C", tree, "read-tree", "HEAD")
			m.git("-C", tree, "update-index", "-q", "--refresh")
			var err error
			index, err = os.ReadFile(file)
			must(m.b, err)
		}
		must(m.b, os.WriteFile(file, index, 0o644))
	}
	return trees
}

// build builds a program that is not part of the suite.
func (m *bench) build(name, pkg string) {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(m.bin, name), pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as released
	if out, err := cmd.CombinedOutput(); err != nil {
		m.b.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func (m *bench) command(name string, args ...string) *exec.Cmd {
	path := filepath.Join(binaries, name)
	if _, err := os.Stat(filepath.Join(m.bin, name)); err == nil {
		path = filepath.Join(m.bin, name)
	} else if _, err := os.Stat(path); err != nil {
		path = name // git, sync
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = m.repo, m.env
	return cmd
}

func (m *bench) git(args ...string) { m.b.Helper(); m.run("git", args...) }

// run runs a program that must succeed and returns its output.
func (m *bench) run(name string, args ...string) string {
	m.b.Helper()
	cmd := m.command(name, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		m.b.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.Bytes())
	}
	return string(out)
}

// side is a program from start to exit.
func (m *bench) side(name string, args ...string) benchtest.Side {
	return benchtest.Of(func() error { m.run(name, args...); return nil })
}

// fill creates n tasks.
func (m *bench) fill(n int) {
	var lines bytes.Buffer
	for i := range n {
		fmt.Fprintf(&lines, "{\"description\":\"task %d of many, with a few words\",\"priority\":%d}\n", i, i%5)
	}
	cmd := m.command("agit", "tasks", "app", "--create", "-", "-o", "ndjson")
	cmd.Stdin = &lines
	if out, err := cmd.CombinedOutput(); err != nil {
		m.b.Fatalf("fill: %v\n%.500s", err, out)
	}
}

// BenchmarkReadCommand: twenty of 100,000 tasks, start to exit, beside an empty Go
// program. Goal: 3.5.
func BenchmarkReadCommand(b *testing.B) {
	m := newBench(b, 1)
	m.fill(100_000)
	m.besideEmpty(b, "agit", "tasks", "app", "--limit", "20", "--json")
}

// BenchmarkReadCommandAfterKill: the same after a server that had written was killed
// and left its log behind, beside an empty Go program.
func BenchmarkReadCommandAfterKill(b *testing.B) {
	m := newBench(b, 1)
	m.fill(100_000)
	read := m.side("agit", "tasks", "app", "--limit", "20", "--json")
	read.Prepare = func() error { m.killAServer(); return nil }
	benchtest.Beside(b, "empty", read, m.side("empty"))
}

// killAServer starts a server, lets it write, and kills it.
func (m *bench) killAServer() {
	m.b.Helper()
	cmd := m.command("agit", "serve")
	in, err := cmd.StdinPipe()
	must(m.b, err)
	out, err := cmd.StdoutPipe()
	must(m.b, err)
	must(m.b, cmd.Start())
	lines := bufio.NewScanner(out)
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"agit_register_agent","arguments":{"name":"killed","type":"bench"}}}`,
	} {
		_, err := fmt.Fprintln(in, message)
		must(m.b, err)
		if strings.Contains(message, `"id"`) && !lines.Scan() {
			m.b.Fatal("the server did not answer")
		}
	}
	must(m.b, cmd.Process.Kill())
	_ = cmd.Wait() // killed: its status says only that
}

// BenchmarkCreate: 10 processes that create 100 tasks each, one command a task,
// beside a bare program that does the same SQL. Goals: 200 a second, and 1.25 times it.
func BenchmarkCreate(b *testing.B) {
	m := newBench(b, 1)
	m.build("bare", "./testdata/bare")
	registry := strings.TrimSpace(m.run("agit", "db", "path"))
	const workers, each = 10, 100
	rounds := 0
	race := func(name string, args ...string) benchtest.Side {
		return benchtest.Of(func() error {
			rounds++
			var running errgroup.Group
			for range workers {
				running.Go(func() error {
					for range each {
						if out, err := m.command(name, args...).CombinedOutput(); err != nil {
							return fmt.Errorf("%s: %w\n%s", name, err, out)
						}
					}
					return nil
				})
			}
			return running.Wait()
		})
	}
	medians := benchtest.Turns(b, race("agit", "tasks", "app", "--create", "x", "-q"), race("bare", registry))
	var page struct{ Tasks []json.RawMessage }
	must(b, json.Unmarshal([]byte(m.run("agit", "tasks", "app", "--limit", "0", "--json")), &page))
	if want := rounds * workers * each; len(page.Tasks) != want {
		b.Fatalf("%d tasks are stored, %d were created", len(page.Tasks), want)
	}
	b.ReportMetric(float64(medians[0].Nanoseconds())/(workers*each), "ns/op")
	b.ReportMetric(workers*each/medians[0].Seconds(), "creates/s")
	b.ReportMetric(benchtest.Ratio(medians[0], medians[1]), "x-bare")
}

// BenchmarkSpawn: a worktree of 1,000 files, start to exit, beside what git takes of
// that by its own trace; ms-own is the rest. Goal: 15 ms.
func BenchmarkSpawn(b *testing.B) {
	m := newBench(b, 1000)
	var own, git []time.Duration
	medians := benchtest.Turns(b, benchtest.Of(func() error {
		trace := filepath.Join(m.dir, fmt.Sprintf("trace-%d", len(own)))
		cmd := m.command("agit", "spawn", "app", "--task", "x", "-q")
		cmd.Env = append(cmd.Env, "GIT_TRACE2_EVENT="+trace)
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("spawn: %w\n%s", err, out)
		}
		took := time.Since(began)
		git = append(git, gitTime(b, trace))
		own = append(own, took-git[len(git)-1])
		return nil
	}))
	b.ReportMetric(float64(medians[0].Nanoseconds()), "ns/op")
	b.ReportMetric(benchtest.Ratio(medians[0], benchtest.Percentile(git, 50)), "x-git")
	b.ReportMetric(benchtest.Milliseconds(benchtest.Percentile(own, 50)), "ms-own")
}

// gitTime sums the durations of the git processes that agit started, from the events of their trace (git-trace2, "exit": t_abs).
func gitTime(tb testing.TB, trace string) (sum time.Duration) {
	tb.Helper()
	text, err := os.ReadFile(trace)
	must(tb, err)
	for line := range strings.Lines(string(text)) {
		var event struct {
			Event   string  `json:"event"`
			Session string  `json:"sid"`
			Seconds float64 `json:"t_abs"`
		}
		must(tb, json.Unmarshal([]byte(line), &event))
		if event.Event == "exit" && !strings.Contains(event.Session, "/") {
			sum += time.Duration(event.Seconds * float64(time.Second))
		}
	}
	return sum
}

// BenchmarkRemove: removing a worktree of 10,000 files with its whole proof, start
// to exit, beside `git worktree remove` of the same files. Goal: 1.
func BenchmarkRemove(b *testing.B) {
	m := newBench(b, 10_000)
	var id, plain string
	n := 0
	benchtest.Beside(b, "git", benchtest.Side{
		Prepare: func() error {
			id = strings.TrimSpace(m.run("agit", "spawn", "app", "--task", "x", "--jq", ".worktree_id"))
			return nil
		},
		Run: func() error { m.run("agit", "cleanup", "app", "--worktree", id, "--yes", "-q"); return nil },
	}, benchtest.Side{
		Prepare: func() error {
			n++
			plain = filepath.Join(m.dir, fmt.Sprintf("plain-%d", n))
			m.git("worktree", "add", "-q", "-b", fmt.Sprintf("plain-%d", n), plain)
			return nil
		},
		Run: func() error { m.git("worktree", "remove", plain); return nil },
	})
}

// BenchmarkCheck: `agit check FILE` with 20 worktrees, start to exit, beside an empty
// Go program. Goal: 20 ms.
func BenchmarkCheck(b *testing.B) {
	m := newBench(b, 2000)
	for range 20 {
		path := strings.TrimSpace(m.run("agit", "spawn", "app", "--task", "x", "--jq", ".path"))
		must(b, os.WriteFile(filepath.Join(path, "d00", "f00001.txt"), []byte("changed\n"), 0o644))
	}
	m.besideEmpty(b, "agit", "check", filepath.Join(m.repo, "d00", "f00001.txt"), "--json")
}

// BenchmarkConflictsCommand: `agit conflicts` over 50 dirty worktrees of 10,000
// files, first and again unchanged, beside `git status` in all of them by two
// workers. Goals: 1.25 and 0.2.
func BenchmarkConflictsCommand(b *testing.B) {
	m := newBench(b, 1)
	trees := m.linkedTrees(50, 10_000)
	edit := func(round int) {
		for n, path := range trees {
			m.dirty(path, n, round)
		}
	}
	edit(0)
	status := func() error {
		var running errgroup.Group
		running.SetLimit(2)
		for _, tree := range trees {
			running.Go(func() error {
				cmd := m.command("git", "status", "--porcelain")
				cmd.Dir, cmd.Env = tree, append(cmd.Env, "GIT_OPTIONAL_LOCKS=0")
				out, err := cmd.CombinedOutput()
				if err != nil {
					err = fmt.Errorf("git status: %w\n%s", err, out)
				}
				return err
			})
		}
		return running.Wait()
	}
	must(b, status()) // both start with warm caches
	round := 0
	again := func() error { round++; edit(round); return nil }
	first, unchanged := m.side("agit", "conflicts", "app", "-q"), m.side("agit", "conflicts", "app", "-q")
	first.Prepare = again
	unchanged.Prepare = func() error {
		m.settle() // time stamps younger than two seconds count as changed
		return first.Run()
	}
	medians := benchtest.Turns(b, first, unchanged, benchtest.Side{Prepare: again, Run: status})
	b.ReportMetric(float64(medians[0].Nanoseconds()), "ns/op")
	b.ReportMetric(benchtest.Ratio(medians[0], medians[2]), "dirty-x-git-status")
	b.ReportMetric(benchtest.Ratio(medians[1], medians[2]), "unchanged-x-git-status")
	b.ReportMetric(benchtest.Milliseconds(medians[1]), "ms-unchanged")
}

// dirty edits ten files of a worktree; neighbours share some of them.
func (m *bench) dirty(path string, tree, round int) {
	m.b.Helper()
	for i := range 10 {
		n := (tree*7 + i*997) % 10_000
		file := filepath.Join(path, fileName(n))
		must(m.b, os.Remove(file)) // other links to the file may exist
		must(m.b, os.WriteFile(file, []byte(strings.Repeat(fmt.Sprintf("line of tree %d in round %d\n", tree, round), 20)), 0o644))
	}
}

// settle waits until the files just written are old enough to be trusted.
func (m *bench) settle() {
	<-time.After(2100 * time.Millisecond)
}

// BenchmarkSizes: every program as it is released, in megabytes, beside an empty Go
// program. Goal: 20 MB each.
func BenchmarkSizes(b *testing.B) {
	m := newBench(b, 1)
	size := func(file string) float64 {
		info, err := os.Stat(file)
		must(b, err)
		return float64(info.Size()) / 1e6
	}
	empty := size(filepath.Join(m.bin, "empty"))
	files, err := filepath.Glob(filepath.Join(binaries, "*"))
	must(b, err)
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "fake") {
			continue
		}
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(size(file), "MB")
			b.ReportMetric(size(file)/empty, "x-empty")
		})
	}
}
