package integration

import (
	"bytes"
	"fmt"
	"testing"
)

// fillPlan imports a plan of n tasks in epics of a hundred, each of which waits
// for up to three before it, so that one in ten is ready.
func (m *bench) fillPlan(n int) {
	var lines bytes.Buffer
	for i := range n / 100 {
		fmt.Fprintf(&lines, "{\"kind\":\"epic\",\"id\":\"E-%d\",\"name\":\"epic %d\"}\n", i, i)
	}
	for i := range n {
		on := ""
		if i%10 != 0 {
			on = fmt.Sprintf(",\"dependsOn\":[\"T-%d\",\"T-%d\",\"T-%d\"]", i-1, max(0, i-7)/10*10, max(0, i-i%37-1))
		}
		fmt.Fprintf(&lines, "{\"id\":\"T-%d\",\"name\":\"task %d\",\"epic\":\"E-%d\",\"estimatedDuration\":\"%dm\"%s}\n", i, i, i/100, 1+i%90, on)
	}
	m.run("agit", "project", "create", "plan", "-q")
	cmd := m.command("agit", "import", "-", "--project", "plan", "-q")
	cmd.Stdin = &lines
	if out, err := cmd.CombinedOutput(); err != nil {
		m.b.Fatalf("fill: %v\n%.500s", err, out)
	}
}

// BenchmarkReadyCommand: the ready tasks of 10,000, start to exit, beside an empty
// Go program. Goal: 30 ms.
func BenchmarkReadyCommand(b *testing.B) {
	benchPlan(b, "tasks", "--ready", "--project", "plan", "--json")
}

// BenchmarkCriticalPathCommand: how a project of 10,000 tasks stands, with its
// critical path, start to exit, beside an empty Go program. Goal: 100 ms.
func BenchmarkCriticalPathCommand(b *testing.B) { benchPlan(b, "project", "status", "plan", "--json") }

// BenchmarkNextCommand: a look at the next of 10,000 tasks, start to exit, beside an
// empty Go program.
func BenchmarkNextCommand(b *testing.B) {
	benchPlan(b, "next", "--peek", "--project", "plan", "--json")
}

func benchPlan(b *testing.B, args ...string) {
	m := newBench(b, 1)
	m.fillPlan(10_000)
	m.besideEmpty(b, "agit", args...)
}
