package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/config"
)

// TestLikeliest: the project that is named as the folder comes first, then those of which
// the name holds it; the others stay in their order.
func TestLikeliest(t *testing.T) {
	all := []provider.Project{{ID: "1", Key: "OPS", Name: "Operations"}, {ID: "2", Key: "SHOP", Name: "Web shop"}, {ID: "3", Key: "S", Name: "Shop"}, {ID: "4", Key: "octo/shop", Name: "octo/shop"}}
	order := ""
	for _, p := range likeliest(all, "shop") {
		order += p.ID
	}
	if order != "2341" {
		t.Errorf("the order is %s", order)
	}
}

// TestChosen: a place in the list, a name, a key or an id.
func TestChosen(t *testing.T) {
	all := []provider.Project{{ID: "17", Key: "OPS", Name: "Operations"}, {ID: "2", Key: "SHOP", Name: "Web shop"}}
	for answer, want := range map[string]string{"1": "OPS", "2": "", "web SHOP": "SHOP", "shop": "SHOP", "17": "OPS", "3": "", "": "", "sho": ""} {
		if answer == "2" {
			want = "SHOP" // by its id, as only one is shown
		}
		if got := chosen(all, 1, answer, provider.Kind{}); got != want {
			t.Errorf("%q is %q, not %q", answer, got, want)
		}
	}
}

// guidedRun is a connection with a person at a terminal, who answers with a line.
func guidedRun(t *testing.T, answer string) (*clitest.Run, *connectOptions, config.Options) {
	t.Helper()
	run := clitest.NewRun(t)
	run.Streams.PretendTerminal(80)
	run.In.WriteString(answer + "\n")
	if err := os.WriteFile(filepath.Join(run.Dir, ".agit.toml"), []byte("[provider]\nname = \"linear\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &connectOptions{}
	o.env = run.Env
	options := run.ConfigOptions("")
	options.Project, options.TrustRoot = run.Dir, run.Dir
	return run, o, options
}

// Open meanings of a tracker are proposed, and written when the person agrees: they count at once, unless the file waits for trust.
func TestOfferedProposal(t *testing.T) {
	t.Parallel()
	open := sync.Connected{File: ".agit.toml", Open: []string{"nothing means in progress"}, Left: []string{"nothing means blocked"},
		Proposed: sync.Proposal{CategoryOf: []string{"Doing=in_progress"}}}
	for name, c := range map[string]struct {
		done    sync.Connected
		answer  string
		more    string // in the file
		written bool
		trusted bool
		says    []string
		silent  []string
	}{
		"nothing is open":             {done: sync.Connected{File: ".agit.toml"}, silent: []string{"Write them?", "open"}},
		"agreed":                      {done: open, written: true, trusted: true, says: []string{`category_of = ["Doing=in_progress"]`, "nothing means blocked"}, silent: []string{"nothing means in progress", "take effect after"}},
		"agreed in words":             {done: open, answer: "Yes", written: true, trusted: true},
		"not agreed":                  {done: open, answer: "n", says: []string{"nothing means in progress"}, silent: []string{"nothing means blocked"}},
		"beside what waits for trust": {done: open, more: "gate = [\"make\"]\n", written: true, says: []string{"they take effect after `pmsync config trust`"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, o, options := guidedRun(t, c.answer)
			file := filepath.Join(run.Dir, ".agit.toml")
			if c.more != "" {
				if err := os.WriteFile(file, []byte(c.more+"[provider]\nname = \"linear\"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := o.offerProposal(t.Context(), c.done, options); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil || strings.Contains(string(text), "Doing=in_progress") != c.written {
				t.Errorf("%s, %v", text, err)
			}
			cfg, err := config.Load(options)
			if err != nil || (len(cfg.Provider.CategoryOf) == 1) != c.trusted {
				t.Errorf("what counts is %q, %v", cfg.Provider.CategoryOf, err)
			}
			shown := run.Errs.String()
			for _, said := range c.says {
				if !strings.Contains(shown, said) {
					t.Errorf("%q is not said:\n%s", said, shown)
				}
			}
			for _, said := range c.silent {
				if strings.Contains(shown, said) {
					t.Errorf("%q is said:\n%s", said, shown)
				}
			}
		})
	}
}
