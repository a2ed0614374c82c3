package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const gated = "gate = [\"make test\"]\nland = \"gate\"\n"

// A trusted gate does not vanish: with another text, without the file, or with a link in its place it is reported as lost, until a person
// trusts the new state or withdraws the trust.
func TestTrustedGateIsMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	put := func(text string) { w.write("project/.agit.toml", text) }
	missed := func(what string, waiting, lost []string) {
		t.Helper()
		if diff := cmp.Diff(Unjudged{waiting, lost}, w.load().Unjudged("app")); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	content := func(text string, err error) Options {
		o := w.Options
		o.Content = func(name string) ([]byte, error) {
			if name != ProjectFileName || text == "" {
				return nil, err
			}
			return []byte(text), err
		}
		return o
	}
	put(gated)
	missed("never trusted", []string{"gate"}, nil)
	must(t, Trust(w.Options, files(t, w.Options)))
	missed("trusted", nil, nil)
	put(gated + "# a remark\n")
	missed("with a remark", []string{"gate", "land"}, nil)
	put("# nothing\n")
	missed("without a gate", nil, []string{"gate", "land"})
	for what, o := range map[string]Options{"absent": content("", nil), "a link": content("", ErrOutside)} {
		c, err := Load(o)
		if err != nil || cmp.Diff(Unjudged{nil, []string{"gate", "land"}}, c.Unjudged("app")) != "" {
			t.Errorf("%s: %+v, %v", what, c, err)
		}
	}
	must(t, Trust(w.Options, files(t, w.Options)))
	missed("trusted without a gate", nil, nil)
	put(gated)
	missed("the first text, trusted beside the other", nil, nil)
	must(t, Untrust(w.Options))
	missed("trust taken back", []string{"gate"}, nil)
	put("# nothing\n")
	missed("and forgotten", nil, nil)
}

// The user's settings for the repository, and the environment, count whatever the project sets.
func TestOwnGateIsNotMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("project/.agit.toml", gated)
	w.write("home/.agit/config.toml", "[[repo]]\nname = \"app\"\ngate = [\"make check\"]\n")
	c := w.load()
	if u := c.Unjudged("app"); u.Any() || c.ForRepo("app").Gate[0] != "make check" {
		t.Errorf("%+v", u)
	}
	if u := c.Unjudged("APP"); u.Any() {
		t.Errorf("its name in another case: %+v", u)
	}
	if u := c.Unjudged("other"); !u.Any() {
		t.Error("it counts for another repository")
	}
	w.write("project/.agit.toml", "[[repo]]\nname = \"app\"\ngate = [\"true\"]\n")
	if u := w.load().Unjudged("app"); cmp.Diff([]string{"gate"}, u.Waiting) != "" {
		t.Errorf("the project's own word on it: %+v", u)
	}
}

// Lines of the record are read back as they were written, with and without the part that older versions did not record.
func TestParseTrust(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("a", 64)
	for line, keys := range map[string][]string{
		hash + ` "/a b/.agit.toml"`:                     {"gate"},
		hash + ` "/a b/.agit.toml" -`:                   nil,
		hash + ` "/a b/.agit.toml" gate,land`:           {"gate", "land"},
		hash + ` "/a \"b\"/.agit.toml" hooks.pre_merge`: {"hooks.pre_merge"},
	} {
		e, ok := parseTrust(line)
		if !ok || e.line() != line+"\n" || cmp.Diff(keys, e.keys()) != "" {
			t.Errorf("%s: %+v, %q", line, e, e.keys())
		}
	}
}

func FuzzParseTrust(f *testing.F) {
	f.Add(strings.Repeat("0", 64) + ` "/x" gate`)
	f.Add("short \"")
	f.Fuzz(func(t *testing.T, line string) {
		e, ok := parseTrust(line)
		if !ok || strings.ContainsAny(e.judging, "\n") {
			return
		}
		if again, ok := parseTrust(strings.TrimSuffix(e.line(), "\n")); !ok || again != e {
			t.Errorf("%q: %+v, then %+v", line, e, again)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// An agent sets no key by which its own work is judged, whatever the environment of its commands holds.
func TestAgentsSetNothingThatJudges(t *testing.T) {
	t.Parallel()
	env := []string{"AGIT_CFG_GATE=[\"true\"]", "AGIT_CFG_LAND=gate", "AGIT_CFG_REVIEW_BY_AGENTS=true", "AGIT_CFG_AGENT_STALE_AFTER=7m"}
	for _, who := range []string{"", "AGIT_AGENT=ann", "AGIT_RUN=run-1", "AGIT_AGENT="} {
		w := newWorld(t)
		w.write("home/.agit/config.toml", "gate = [\"make check\"]\nland = \"review\"\n")
		w.Env = append(env[:len(env):len(env)], who)
		c := w.load()
		agent := strings.HasSuffix(who, "=ann") || strings.HasSuffix(who, "-1")
		if (c.Gate[0] == "make check") != agent || (c.Land == "review") != agent || c.Review.ByAgents == agent || c.Agent.StaleAfter.Minutes() != 7 {
			t.Errorf("%s: %q %s %v", who, c.Gate, c.Land, c.Review.ByAgents)
		}
		if told := strings.Join(c.Warnings(), "; "); strings.Count(told, "is a person's to set") != map[bool]int{true: 3}[agent] {
			t.Errorf("%s: told %s", who, told)
		}
	}
}

// Nor does the file that an agent names with --config: the keys of persons are those of config.toml, also where the file has none.
func TestAgentsNameNoFileThatJudges(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"", "AGIT_AGENT=ann", "AGIT_RUN=run-1"} {
		for _, text := range []string{"", "gate = [\"true\"]\n[review]\nby_agents = true\n[[repo]]\nname = \"app\"\ngate = [\"true\"]\n"} {
			w := newWorld(t)
			w.write("home/.agit/config.toml", "gate = [\"make check\"]\nbranch_prefix = \"own/\"\n[agent]\nstale_after = \"9m\"\n[[repo]]\nname = \"app\"\ngate = [\"make app\"]\n")
			w.File = w.write("project/other.toml", text+"[agent]\nrelease_after = \"70m\"\n")
			w.Env = []string{who}
			c := w.load()
			gates := fmt.Sprint(c.Gate, c.ForRepo("app").Gate, c.Review.ByAgents)
			want := map[bool]string{true: "[make check] [make app] false", false: "[] [] false"}[who != ""]
			if who == "" && text != "" {
				want = "[true] [true] true"
			}
			if gates != want || c.Agent.StaleAfter.Minutes() == 9 || c.Agent.ReleaseAfter.Minutes() != 70 {
				t.Errorf("%q, %q: %s, want %s; %v", who, text, gates, want, c.Agent)
			}
			told := strings.Join(c.Warnings(), "; ")
			if wanted := who != "" && text != ""; wanted != strings.Contains(told, "gate, review.by_agents in ") || wanted != strings.Contains(told, "repo[app].gate in ") {
				t.Errorf("%q, %q: told %s", who, text, told)
			}
		}
	}
}

// Nothing else of config.toml counts, neither a wrong value nor an unknown key.
func TestAgentsFileLeavesTheRestOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("home/.agit/config.toml", "gate = [\"make check\"]\nold_key = 1\n[agent]\nstale_after = \"soon\"\n[[repo]]\nname = \"app\"\ngate_timeout = \"soon\"\n")
	w.File = w.write("project/other.toml", "")
	w.Env = []string{"AGIT_AGENT=ann"}
	c, err := Load(w.Options)
	if err != nil || fmt.Sprint(c.Gate, c.Warnings()) != "[make check] []" {
		t.Errorf("%v, %v", c, err)
	}
}

func TestPersonsKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{"gate": true, "repos.app.gate": true, "land": true, "review.by_agents": true, "work.deny": true, "gate_timeout": false, "agent.stale_after": false, "xgate": false} {
		if IsPersons(key) != want {
			t.Errorf("%s: %v", key, !want)
		}
	}
}
