package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// event is one line of go test -json (`go doc test2json`).
type event struct {
	Time       time.Time
	Action     string
	Package    string
	ImportPath string // of a build
	Test       string
	Elapsed    float64 // seconds
	Output     string
}

// name identifies a test among those of all packages; test is empty for the package itself.
type name struct{ pkg, test string }

// live is a test that has begun and not ended.
type live struct {
	begun  time.Time
	paused bool
	joined bool // it ran in parallel: its time is not part of its parent's
	output []string
	nested float64 // seconds that its subtests took, one after the other
}

// took is the time that a test took without that of its subtests.
type took struct {
	name
	seconds float64
}

// report follows a run and prints what happens.
type report struct {
	out      io.Writer
	begun    time.Time
	live     map[name]*live
	builds   map[string][]string // output of failing builds, by import path
	cached   map[string]bool     // packages whose result is an earlier run's
	times    []took
	finished int
}

func newReport(out io.Writer) *report {
	return &report{out: out, live: map[name]*live{}, builds: map[string][]string{}, cached: map[string]bool{}}
}

func (r *report) add(e event) {
	if r.begun.IsZero() {
		r.begun = e.Time
	}
	at := name{e.Package, e.Test}
	switch e.Action {
	case "start", "run":
		r.live[at] = &live{begun: e.Time}
	case "pause":
		if l := r.live[at]; l != nil {
			l.paused, l.joined = true, true
		}
	case "cont":
		if l := r.live[at]; l != nil {
			l.paused, l.begun = false, e.Time
		}
	case "build-output":
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
	case "build-fail":
		r.print(r.builds[e.ImportPath])
		delete(r.builds, e.ImportPath)
	case "output":
		r.output(at, e.Output)
	case "pass", "skip", "fail":
		r.end(at, e)
	}
}

// output keeps what a test printed until its end tells whether it matters. The
// closing line of a package, and what belongs to no package, are printed at once.
func (r *report) output(at name, text string) {
	l := r.live[at]
	switch {
	case l == nil:
		r.print([]string{text})
	case strings.HasPrefix(text, "=== "): // the test begins, waits or goes on
	case at.test != "":
		l.output = append(l.output, text)
	case closes(text):
		r.cached[at.pkg] = strings.HasSuffix(strings.TrimSpace(text), "(cached)")
		if strings.HasPrefix(text, "FAIL") {
			r.unfinished(at.pkg)
			r.print(l.output) // of a panic, or of TestMain
		}
		r.print([]string{text})
		l.output = nil
	case text != "PASS\n" && text != "FAIL\n":
		l.output = append(l.output, text)
	}
}

// closes reports whether a line is the last one of a package.
func closes(text string) bool {
	for _, word := range []string{"ok  \t", "FAIL\t", "?   \t", "---\t"} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

func (r *report) end(at name, e event) {
	l := r.live[at]
	delete(r.live, at)
	if at.test == "" {
		r.finished++
		if r.cached[at.pkg] {
			r.times = slices.DeleteFunc(r.times, func(t took) bool { return t.pkg == at.pkg })
		}
		return
	}
	if l == nil {
		return
	}
	if e.Action == "fail" {
		r.print(l.output)
	}
	r.times = append(r.times, took{at, max(0, e.Elapsed-l.nested)})
	if parent := r.live[name{at.pkg, parentOf(at.test)}]; parent != nil && !l.joined && strings.Contains(at.test, "/") {
		parent.nested += e.Elapsed
	}
}

func parentOf(test string) string {
	return test[:max(0, strings.LastIndex(test, "/"))]
}

// unfinished prints what the tests of a package wrote that never ended.
func (r *report) unfinished(pkg string) {
	for _, at := range r.names() {
		if at.pkg == pkg && at.test != "" {
			r.print(r.live[at].output)
			delete(r.live, at)
		}
	}
}

// rest prints what is left when go test ended in the middle of a package.
func (r *report) rest() {
	for _, at := range r.names() {
		r.print(r.live[at].output)
	}
}

// running prints how far the run is and which tests run, the longest first.
func (r *report) running(now time.Time) {
	parents := map[name]bool{}
	for at := range r.live {
		for test := at.test; test != ""; {
			test = parentOf(test)
			parents[name{at.pkg, test}] = true
		}
	}
	var all []string
	for _, at := range r.names() {
		if l := r.live[at]; !l.paused && !parents[at] {
			all = append(all, fmt.Sprintf("%s %s", strings.TrimSpace(short(at.pkg)+" "+at.test), now.Sub(l.begun).Round(time.Second)))
		}
	}
	const most = 6
	if len(all) > most {
		all = append(all[:most], fmt.Sprintf("and %d more", len(all)-most))
	}
	if len(all) == 0 {
		all = []string{"go builds the next tests"}
	}
	if r.begun.IsZero() {
		r.begun = now
	}
	fmt.Fprintf(r.out, "… %s, %d packages done; running: %s\n", now.Sub(r.begun).Round(time.Second), r.finished, strings.Join(all, ", "))
}

// names are the tests that run, in the order in which they began.
func (r *report) names() []name {
	var all []name
	for at := range r.live {
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b name) int {
		return cmp.Or(r.live[a].begun.Compare(r.live[b].begun), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test))
	})
	return all
}

func (r *report) print(lines []string) {
	for _, line := range lines {
		_, _ = io.WriteString(r.out, line)
	}
}

// short is a package's path without the part that all packages of the suite share.
func short(pkg string) string {
	return strings.TrimPrefix(pkg, "github.com/agit-suite/agit/")
}
