package trial

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// failing matches lines in which test runners name a failed test: go test, pytest, cargo test, jest and vitest, mocha with TAP, JUnit under
// gradle and maven, rspec.
var failing = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, e := range []string{
		`^--- FAIL: (\S+)`, `^\s+--- FAIL: (\S+)`, `^FAILED (\S+::\S+)`, `^(?:FAIL|ERROR): (test\w*) \(`, `^test (\S+) \.\.\. FAILED`, `^\s*● (.+ › .+)$`, `^\s*[✕×] (.+?)(?: \(?\d+ ?m?s\)?)?$`,
		`^not ok \d+ (?:- )?(\S.*)$`, `^(\S+ > \S+\(\)) FAILED`, `^\[ERROR\]\s+(\w[\w.]*\.\w+:\d+)`, `^rspec (\S+)`,
	} {
		all = append(all, regexp.MustCompile(e))
	}
	return all
})

// mostTests is how many names of failed tests are kept.
const mostTests = 20

// FailedTests returns the tests that failed according to a gate's output: its log, or the last lines when that is gone. Of a test and its
// parts it returns only the parts.
func FailedTests(log string, last []string) []string {
	const most = 4 << 20
	if file, err := os.Open(log); err == nil {
		defer file.Close()
		if data, err := io.ReadAll(io.LimitReader(file, most)); err == nil {
			return failedTests(strings.Split(string(data), "\n"))
		}
	}
	return failedTests(last)
}

func failedTests(lines []string) (names []string) {
	const longest = 200
	for _, line := range lines {
		if line = strings.TrimRight(line, "\r "); len(line) > 4*longest {
			continue
		}
		for _, e := range failing() {
			found := e.FindStringSubmatch(line)
			if found == nil || len(found[1]) > longest || slices.Contains(names, found[1]) {
				continue
			}
			if names = append(names, found[1]); len(names) == 2*mostTests {
				return outer(names)
			}
		}
	}
	return outer(names)
}

// outer leaves out a test when a part of it is named.
func outer(names []string) []string {
	kept := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return slices.ContainsFunc(names, func(o string) bool { return strings.HasPrefix(o, n+"/") })
	})
	return kept[:min(len(kept), mostTests)]
}
