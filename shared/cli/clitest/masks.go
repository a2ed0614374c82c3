package clitest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/registry"
)

// Masks give names that are equal in each run to ids, times, commits and folders in the output of a test.
type Masks struct {
	places *strings.Replacer
	names  []name
	began  string // is the beginning of the ids made now
}

// NewMasks returns the masks for a test whose folders are given in pairs: a folder and its name.
func NewMasks(t testing.TB, folders ...string) *Masks {
	t.Helper()
	beside, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folders = append(folders, "in "+filepath.Dir(beside)+" or", "in <folder> or", "\t"+registry.Host()+"\t", "\t<host>\t")
	return &Masks{places: strings.NewReplacer(folders...), began: registry.NewID("")[:3]}
}

// variable finds what differs between runs.
var variable = regexp.MustCompile(strings.Join([]string{
	`(?P<uid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)`,
	`(?P<time>\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?\b|\b\d\d:\d\d(:\d\d\b|( [A-Z][a-z]{2} \d\d?)\b))`,
	`(?P<project>\bp-[0-9a-f]{16}\b)`,
	`(?P<id>\b(?:[A-Za-z]+-)?[0-9a-hjkmnp-tv-z]{10}\b)`,
	`(?P<commit>\b[0-9a-f]{40}\b|\b[0-9a-f]{10}\b|\b[0-9a-f]{12}\b|\b[0-9a-f]{7,8}\b)`,
	`(?P<took>\b\d+\.\d+ ms\b|\b\d+(\.\d+)?(ms|µs)\b)`,
	`(?P<size>\b\d+(\.\d+)? [kMGT]?B\b)`,
	`(?P<version>\b\d+\.\d+\.\d+\b|\bschema \d+\b)`,
	`(?P<number>"(port|pid|reused_worktrees)": ?\d+|ports from \d+)`,
}, "|"))

var hex = regexp.MustCompile(`^[0-9a-f]+$`)

// folder finds the random end of the name of a worktree's branch or folder.
var folder = regexp.MustCompile(`(?:agit|\.worktrees)/[a-z0-9-]+(-[0-9a-hjkmnp-tv-z]{6})\b`)

// Apply puts names that are equal in each run in the places of what differs between runs.
func (m *Masks) Apply(text string) string {
	text = m.places.Replace(text)
	for _, end := range folder.FindAllStringSubmatch(text, -1) {
		m.named("end", end[1])
	}
	for _, n := range m.names {
		if n.kind == "end" {
			text = strings.ReplaceAll(text, n.is, n.called(n.is))
		}
	}
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		match := variable.FindStringSubmatch(found)
		group := func(name string) bool { return match[variable.SubexpIndex(name)] != "" }
		for _, kind := range []string{"time", "took", "size", "version"} {
			if group(kind) {
				return "<" + kind + ">"
			}
		}
		switch {
		case group("number"):
			return strings.TrimRight(found, "0123456789") + "<number>"
		case group("uid"):
			return m.named("u", found)
		case group("project"):
			return m.named("project", found)
		case group("id") && m.made(found):
			prefix, _, dash := strings.Cut(found, "-")
			if !dash {
				prefix = "id"
			}
			return m.named(prefix, found)
		case len(found) >= 10 && hex.MatchString(found), group("commit") && !strings.HasSuffix(found, "0000"): // one of 27 commits has no letter in its first seven
			return m.named("c", found)
		}
		return found
	})
}

// made reports whether an id was made at the time of the session.
func (m *Masks) made(id string) bool {
	bare := id[len(id)-len(registry.NewID("")):]
	return strings.HasPrefix(bare, m.began) || strings.HasPrefix(bare, registry.NewID("")[:3])
}

// named returns the name of something of a kind that differs between runs: its place among those of the kind, and behind a colon the length
// of a shortened commit.
func (m *Masks) named(kind, found string) string {
	var place int
	for _, n := range m.names {
		if n.kind != kind {
			continue
		}
		if strings.HasPrefix(n.is, found) || strings.HasPrefix(found, n.is) {
			return n.called(found)
		}
		place = n.place
	}
	n := name{kind, place + 1, found}
	m.names = append(m.names, n)
	return n.called(found)
}

// name is a name for something that differs between runs.
type name struct {
	kind  string
	place int
	is    string // in this run
}

func (n name) called(found string) string {
	if n.kind == "c" && len(found) < 40 {
		return fmt.Sprintf("<c-%d:%d>", n.place, len(found))
	}
	return fmt.Sprintf("<%s-%d>", n.kind, n.place)
}

// Meant puts what names stand for into a line.
func (m *Masks) Meant(line string) string {
	for _, n := range m.names {
		line = strings.ReplaceAll(line, n.called(n.is), n.is)
	}
	return line
}
