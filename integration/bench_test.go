package integration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The benchmarks of this file run the real binaries, stripped as they are
// released, and report ratios to something run beside them in turn, so that a
// busy machine slows both. `make bench` runs them.

// bench is a HOME with the binaries, a repository named app, and what is
// measured against.
type bench struct {
	b    *testing.B
	bin  string
	dir  string
	repo string
	env  []string
}

func newBench(b *testing.B, files int) *bench {
	b.Helper()
	dir := b.TempDir()
	m := &bench{b: b, dir: dir, bin: filepath.Join(dir, "bin"), repo: filepath.Join(dir, "app")}
	m.env = append(environment(filepath.Join(dir, "home")), "PATH="+m.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	must(b, os.MkdirAll(m.bin, 0o755))
	must(b, os.WriteFile(filepath.Join(dir, "empty.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
	m.build("empty", filepath.Join(dir, "empty.go"))
	m.build("agit", "../agit")
	m.build("agit-mcp", "../agit/cmd/agit-mcp")
	must(b, os.MkdirAll(m.repo, 0o755))
	for i := range files {
		path := filepath.Join(m.repo, fmt.Sprintf("d%02d", i/100), fmt.Sprintf("f%05d.txt", i))
		must(b, os.MkdirAll(filepath.Dir(path), 0o755))
		must(b, os.WriteFile(path, []byte(strings.Repeat(fmt.Sprintf("line of file %d\n", i), 20)), 0o644))
	}
	m.git("init", "-q")
	m.git("add", ".")
	m.git("commit", "-q", "--allow-empty", "-m", "first")
	m.run("agit", "add", m.repo, "--name", "app", "-q")
	return m
}

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
	path := filepath.Join(m.bin, name)
	if name == "git" {
		path = name
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

// time is how long a program takes from start to exit.
func (m *bench) time(name string, args ...string) time.Duration {
	m.b.Helper()
	began := time.Now()
	m.run(name, args...)
	return time.Since(began)
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

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

// BenchmarkReadCommand: a read command on 100,000 tasks against an empty Go
// program, start to exit; goal 3.5.
func BenchmarkReadCommand(b *testing.B) {
	m := newBench(b, 1)
	m.fill(100_000)
	m.besideEmpty(b, "agit", "tasks", "app", "--limit", "20", "--json")
}

// BenchmarkReadCommandAfterKill: the same, each time after a server that had
// written was killed and left its log behind.
func BenchmarkReadCommandAfterKill(b *testing.B) {
	m := newBench(b, 1)
	m.fill(100_000)
	var ours, empty []time.Duration
	for b.Loop() {
		m.killAServer()
		empty = append(empty, m.time("empty"))
		ours = append(ours, m.time("agit", "tasks", "app", "--limit", "20", "--json"))
	}
	b.ReportMetric(float64(median(ours))/float64(median(empty)), "x-empty")
	b.ReportMetric(milliseconds(median(ours)), "ms")
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
// against a bare program that does the same SQL; goals 200 a second and 0.8.
func BenchmarkCreate(b *testing.B) {
	m := newBench(b, 1)
	m.build("bare", "./testdata/bare")
	registry := strings.TrimSpace(m.run("agit", "db", "path"))
	const workers, each = 10, 100
	race := func(name string, args ...string) time.Duration {
		began := time.Now()
		var running sync.WaitGroup
		for range workers {
			running.Go(func() {
				for range each {
					if out, err := m.command(name, args...).CombinedOutput(); err != nil {
						b.Errorf("%s: %v\n%s", name, err, out)
						return
					}
				}
			})
		}
		running.Wait()
		return time.Since(began)
	}
	var ours, bare []time.Duration
	for b.Loop() {
		ours = append(ours, race("agit", "tasks", "app", "--create", "x", "-q"))
		bare = append(bare, race("bare", registry))
	}
	b.StopTimer()
	var page struct{ Tasks []json.RawMessage }
	must(b, json.Unmarshal([]byte(m.run("agit", "tasks", "app", "--limit", "0", "--json")), &page))
	if want := len(ours) * 2 * workers * each; len(page.Tasks) != want {
		b.Fatalf("%d tasks are stored, %d were created", len(page.Tasks), want)
	}
	b.ReportMetric(workers*each/median(ours).Seconds(), "creates/s")
	b.ReportMetric(float64(median(bare))/float64(median(ours)), "x-bare")
}

// BenchmarkSpawn: what agit spends on a spawn outside git, as git's own trace
// of its time says; goal 15 ms.
func BenchmarkSpawn(b *testing.B) {
	m := newBench(b, 1000)
	var own, whole []time.Duration
	for i := 0; b.Loop(); i++ {
		trace := filepath.Join(m.dir, fmt.Sprintf("trace-%d", i))
		cmd := m.command("agit", "spawn", "app", "--task", "x", "-q")
		cmd.Env = append(cmd.Env, "GIT_TRACE2_EVENT="+trace)
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("spawn: %v\n%s", err, out)
		}
		took := time.Since(began)
		whole, own = append(whole, took), append(own, took-gitTime(b, trace))
	}
	b.ReportMetric(milliseconds(median(own)), "ms-own")
	b.ReportMetric(milliseconds(median(whole)), "ms-whole")
}

// gitTime adds up what the git processes that agit started took, from the
// events of their trace (git-trace2, "exit": t_abs).
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

// BenchmarkRemove: a removal with its whole proof against `git worktree remove`
// of the same tree of 10,000 files; goal 1.
func BenchmarkRemove(b *testing.B) {
	m := newBench(b, 10_000)
	var ours, gits []time.Duration
	for i := 0; b.Loop(); i++ {
		plain := filepath.Join(m.dir, fmt.Sprintf("plain-%d", i))
		m.git("worktree", "add", "-q", "-b", fmt.Sprintf("plain-%d", i), plain)
		id := strings.TrimSpace(m.run("agit", "spawn", "app", "--task", "x", "--jq", ".worktree_id"))
		gits = append(gits, m.time("git", "worktree", "remove", plain))
		ours = append(ours, m.time("agit", "cleanup", "app", "--worktree", id, "--yes", "-q"))
	}
	b.ReportMetric(float64(median(ours))/float64(median(gits)), "x-git")
	b.ReportMetric(milliseconds(median(ours)), "ms")
}

// BenchmarkCheck: `agit check FILE` with 20 worktrees, start to exit; goal 20 ms.
func BenchmarkCheck(b *testing.B) {
	m := newBench(b, 2000)
	for range 20 {
		path := strings.TrimSpace(m.run("agit", "spawn", "app", "--task", "x", "--jq", ".path"))
		must(b, os.WriteFile(filepath.Join(path, "d00", "f00001.txt"), []byte("changed\n"), 0o644))
	}
	var ours []time.Duration
	for b.Loop() {
		ours = append(ours, m.time("agit", "check", filepath.Join(m.repo, "d00", "f00001.txt"), "--json"))
	}
	b.ReportMetric(milliseconds(median(ours)), "ms")
}

// BenchmarkConflictsCommand: `agit conflicts` over 50 dirty worktrees of 10,000
// files, first and again unchanged, against `git status` in all of them by two
// workers; goals 1.25 and 0.2.
func BenchmarkConflictsCommand(b *testing.B) {
	m := newBench(b, 10_000)
	var trees []string
	for i := range 50 {
		path := strings.TrimSpace(m.run("agit", "spawn", "app", "--task", "x", "--jq", ".path"))
		trees = append(trees, path)
		m.dirty(path, i, 0)
	}
	status := func() time.Duration {
		began := time.Now()
		var running sync.WaitGroup
		for worker := range 2 {
			running.Go(func() {
				for i := worker; i < len(trees); i += 2 {
					cmd := m.command("git", "status", "--porcelain")
					cmd.Dir, cmd.Env = trees[i], append(cmd.Env, "GIT_OPTIONAL_LOCKS=0")
					if out, err := cmd.CombinedOutput(); err != nil {
						b.Errorf("git status: %v\n%s", err, out)
					}
				}
			})
		}
		running.Wait()
		return time.Since(began)
	}
	status() // both start with warm caches
	var gits, first, again []time.Duration
	for i := 1; b.Loop(); i++ {
		b.StopTimer()
		for n, path := range trees {
			m.dirty(path, n, i)
		}
		b.StartTimer()
		gits = append(gits, status())
		first = append(first, m.time("agit", "conflicts", "app", "-q"))
		m.settle() // stamps younger than two seconds count as changed
		m.run("agit", "conflicts", "app", "-q")
		again = append(again, m.time("agit", "conflicts", "app", "-q"))
	}
	b.ReportMetric(float64(median(first))/float64(median(gits)), "x-status-dirty")
	b.ReportMetric(float64(median(again))/float64(median(gits)), "x-status-unchanged")
	b.ReportMetric(milliseconds(median(first)), "ms-dirty")
	b.ReportMetric(milliseconds(median(again)), "ms-unchanged")
}

// dirty edits ten files of a worktree; neighbours share some of them.
func (m *bench) dirty(path string, tree, round int) {
	m.b.Helper()
	for i := range 10 {
		n := (tree*7 + i*997) % 10_000
		file := filepath.Join(path, fmt.Sprintf("d%02d", n/100), fmt.Sprintf("f%05d.txt", n))
		must(m.b, os.WriteFile(file, []byte(strings.Repeat(fmt.Sprintf("line of tree %d in round %d\n", tree, round), 20)), 0o644))
	}
}

// settle waits until the files just written are old enough to be trusted.
func (m *bench) settle() {
	<-time.After(2100 * time.Millisecond)
}

// BenchmarkSizes reports the stripped binaries, which goal 20 MB holds.
func BenchmarkSizes(b *testing.B) {
	m := newBench(b, 1)
	for b.Loop() {
	}
	for _, name := range []string{"agit", "agit-mcp"} {
		info, err := os.Stat(filepath.Join(m.bin, name))
		must(b, err)
		b.ReportMetric(float64(info.Size())/1e6, "MB-"+name)
	}
}
