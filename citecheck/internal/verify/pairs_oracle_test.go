package verify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
)

// TestAgainstPairs compares verdicts with the findings of people who followed blocks of code through commits: the oracles of CodeTracker,
// in the repository at PAIRS, about the repositories below the folder CLONES (OWNER+NAME/repo). For each change the block's first line is
// cited at the parent and looked for at the commit. SHOW prints that many disagreements.
func TestAgainstPairs(t *testing.T) {
	oracle, clones := os.Getenv("PAIRS"), os.Getenv("CLONES")
	if oracle == "" || clones == "" {
		t.Skip("PAIRS and CLONES name no material to measure with")
	}
	pairs := readPairs(t, oracle, clones)
	for _, form := range []string{"registry", "snippet"} {
		count, show := map[string]int{}, number("SHOW", 0)
		for _, p := range pairs {
			kind, r := p.judge(t, form)
			count[kind]++
			count["all"]++
			if kind != "right" && show > 0 {
				show--
				fmt.Printf("%s: %s %.10s %s:%d -> %s:%d (%s)\n    %q\n    said %s %s:%d %.2f %q %s\n", kind, filepath.Base(filepath.Dir(p.repo)), p.commit,
					p.before.path, p.before.line, p.after.path, p.after.line, p.change, r.Citation.Snippet, r.Verdict, r.FoundPath, r.FoundLine, r.Score, r.FoundText, r.Reason)
			}
		}
		fmt.Printf("%-9s %d pairs: %.1f%% right, %d wrong suggestions, %d wrong, %d ambiguous, %d none\n", form, count["all"],
			100*float64(count["right"])/float64(max(count["all"], 1)), count["suggested"], count["wrong"], count["ambiguous"], count["none"])
	}
}

type blockPlace struct {
	path string
	line int
}

type pairOf struct {
	repo, parent, commit, change string
	before, after                blockPlace
}

var blockLines = regexp.MustCompile(`\((\d+)-(\d+)\)$`)

func readPairs(t *testing.T, oracle, clones string) (pairs []pairOf) {
	seen := map[pairOf]bool{}
	for path := range strings.Lines(must(t, oracle, "ls-tree", "-r", "--name-only", "HEAD", "src/main/resources/oracle/block")) {
		var block struct {
			RepositoryWebURL string
			ExpectedChanges  []struct{ ParentCommitID, CommitID, ChangeType, ElementFileBefore, ElementNameBefore, ElementFileAfter, ElementNameAfter string }
		}
		if err := json.Unmarshal([]byte(must(t, oracle, "show", "HEAD:"+strings.TrimSpace(path))), &block); err != nil {
			t.Fatal(path, err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(block.RepositoryWebURL, "https://github.com/"), ".git")
		repo := filepath.Join(clones, strings.ReplaceAll(name, "/", "+"), "repo")
		if _, err := os.Stat(repo); err != nil {
			continue
		}
		for _, c := range block.ExpectedChanges {
			before, after := blockLines.FindStringSubmatch(c.ElementNameBefore), blockLines.FindStringSubmatch(c.ElementNameAfter)
			if c.ChangeType == "introduced" || before == nil || after == nil {
				continue
			}
			p := pairOf{repo: repo, parent: c.ParentCommitID, commit: c.CommitID, before: blockPlace{path: c.ElementFileBefore}, after: blockPlace{path: c.ElementFileAfter}}
			p.before.line, _ = strconv.Atoi(before[1])
			p.after.line, _ = strconv.Atoi(after[1])
			if _, err := gitOutput(repo, "cat-file", "-e", p.commit+"^{commit}"); err == nil && !seen[p] {
				seen[p] = true
				p.change = c.ChangeType
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}

func (p pairOf) judge(t *testing.T, form string) (string, verify.Result) {
	lines := strings.Split(must(t, p.repo, "show", p.parent+":"+p.before.path), "\n")
	if p.before.line > len(lines) {
		return "none", verify.Result{}
	}
	c := verify.Citation{Path: p.before.path, Line: p.before.line, Snippet: strings.TrimSpace(lines[p.before.line-1])}
	if form == "registry" {
		c.Commit = p.parent
	}
	checker, err := verify.Open(context.Background(), p.repo, verify.Options{At: p.commit})
	if err != nil {
		t.Fatal(err)
	}
	defer checker.Close()
	results, err := checker.Verify(context.Background(), []verify.Citation{c})
	if err != nil {
		t.Fatal(err)
	}
	r := results[0]
	switch {
	case r.FoundPath == p.after.path && r.FoundLine == p.after.line:
		return "right", r
	case r.Verdict.True():
		return "wrong", r
	case r.Verdict == verify.Changed:
		return "suggested", r
	case r.Verdict == verify.Ambiguous:
		return "ambiguous", r
	}
	return "none", r
}
