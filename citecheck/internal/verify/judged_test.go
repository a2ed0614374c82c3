package verify

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/goldentest"
	"github.com/agit-suite/agit/shared/textfile"
)

// phrases are lines of code of every weight, from braces to sentences.
var phrases = []string{"}", "{", "\t}", "\treturn err", "\tif err != nil {", "", "\topen(file)", "\tclose(file)", "\tx = 10", "\tx++", "// readTicket reads a ticket from the file.", "func readTicket(name string) (Ticket, error) {",
	"\tticket, err := parse(file, limit)", "\tlog.Printf(\"%d tickets\", count)", "\tfor _, one := range tickets {", "\t\tcount += one.Weight()", "\tlimit := configuration.Limit(name)", "\treturn ticket, nil", "\tretry(3, func() error {", "\t})", "\t// retry(3, func() error {",
	"\tbreak", "const Limit = 250", "\tdefer mu.Unlock()", "\tmu.Lock()", "\tticket, err := parse(file, most)"}

// anyText returns a text of so many of the phrases.
func anyText(r *rand.Rand, lines int) (text []string) {
	for range lines {
		text = append(text, phrases[r.IntN(len(phrases))])
	}
	return text
}

// anyEdit changes a text as people do: it deletes, inserts, moves, copies, alters, splits or wraps lines.
func anyEdit(r *rand.Rand, text []string) []string {
	at := r.IntN(len(text))
	to := min(at+1+r.IntN(4), len(text))
	piece, rest := slices.Clone(text[at:to]), slices.Concat(text[:at], text[to:])
	there := r.IntN(len(rest) + 1)
	switch r.IntN(8) {
	case 0:
		return rest
	case 1:
		return slices.Concat(text[:at], anyText(r, 1+r.IntN(3)), text[at:])
	case 2:
		return slices.Concat(rest[:there], piece, rest[there:])
	case 3:
		return slices.Concat(text[:there], piece, text[there:])
	case 4, 5:
		changed := slices.Clone(text)
		changed[at] = strings.NewReplacer("file", "input", "ticket", "issue", "err", "problem", "10", "1000", "Limit", "Most").Replace(changed[at])
		return changed
	case 6:
		changed := slices.Clone(text)
		changed[at] = "// " + strings.TrimSpace(changed[at])
		return changed
	}
	if half := len(text[at]) / 2; half > 4 {
		return slices.Concat(text[:at], []string{text[at][:half], text[at][half:]}, text[at+1:])
	}
	return slices.Concat(text[:at], piece, text[at:])
}

func (o outcome) tell() string {
	kind := []string{"lost", "alike", "several", "found"}[o.how]
	said := fmt.Sprintf("%s %d-%d", kind, o.line, o.last)
	if o.score > 0 && o.score < 1 {
		said += fmt.Sprintf(" %.3f", o.score)
	}
	if o.lines != nil {
		said += fmt.Sprint(" of ", o.lines)
	}
	if o.rivals {
		said += " rivals"
	}
	if o.ranged {
		said += " ranged"
	}
	if o.sure {
		said += " sure"
	}
	if o.why != "" {
		said += " (" + o.why + ")"
	}
	return said
}

func (j *job) tell() string {
	r := j.result
	said := fmt.Sprintf("%s %s:%d-%d", r.Verdict, r.FoundPath, r.FoundLine, r.FoundEnd)
	if r.Score > 0 && r.Score < 1 {
		said += fmt.Sprintf(" %.3f", r.Score)
	}
	if r.Low {
		said += " low"
	}
	if r.Reason != "" && !r.Verdict.True() {
		said += " (" + r.Reason + ")"
	}
	for _, c := range r.Candidates {
		said += fmt.Sprint(" ?", c.Line)
	}
	return said
}

// Every rule that compares two states of a file, for many edits: where a line went by the rules one by one, and what a citation of it
// becomes with the old file, with its surroundings, with its neighbours and by its text alone.
func TestJudgedPairs(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	r := rand.New(rand.NewPCG(3, 9))
	for n := range 11 {
		old := anyText(r, 8+r.IntN(14))
		now := slices.Clone(old)
		for range 1 + n {
			now = anyEdit(r, now)
		}
		judgePair(&all, fmt.Sprintf("pair %d, %d edits", n, 1+n), old, now)
	}
	goldentest.Same(t, "pairs.txt", all.String(), flag.Lookup("update").Value.String() == "true")
}

func judgePair(b *strings.Builder, name string, before, after []string) {
	old, now := textfile.Parse([]byte(strings.Join(before, "\n")+"\n")), textfile.Parse([]byte(strings.Join(after, "\n")+"\n"))
	p := newFilePair(old, now)
	away := apart(old, now)
	fmt.Fprintf(b, "# %s\n\n", name)
	for i, line := range after {
		fmt.Fprintf(b, "%3d %s\n", i, line)
	}
	fmt.Fprintf(b, "share %.3f\n", p.share())
	for i := range old.Len() {
		if old.Blank(i) {
			continue
		}
		a := anchor{snippet: snippetOf(old, []int{i}), lines: []int{i}, whole: true}
		o, sure := p.follow(a)
		fmt.Fprintf(b, "%d %q to %d: %s sure %t, elsewhere %s, similar %s, successor %d\n", i, strings.TrimSpace(before[i]), p.m.To[i], o.tell(), sure, p.elsewhere(a).tell(), p.similar(a).tell(), p.successor(i))
		places, kind := a.snippet.places(now)
		for _, n := range places {
			fmt.Fprintf(b, "\tat %d: around %.3f run %d certain %t trusted %t adrift %t, nearest %t\n", n, p.around(i, n), away.run(i, n), p.certain(i, n), p.trusted(i, n), p.adrift(i, n), p.nearest(i, places) == n)
		}
		s := old.Around(i, i)
		if len(places) > 0 {
			st := surrounded(now, s, places, 0)
			fmt.Fprintf(b, "\tsurrounded: %d best %.2f removed %t adrift %t rivals %v without %.2f inside %v\n", st.line, float64(st.best), st.removed, st.adrift, st.rivals, float64(without(now, s)), inside(now, s.Within, places))
		}
		fmt.Fprintf(b, "\tuntouched %t, by the text: %s, with surroundings: %s\n", i < now.Len() && untouched(now, s, i, i), resemble(now, a.snippet, textfile.Surroundings{}, i).tell(), resemble(now, a.snippet, s, i).tell())
		above, below := a.snippet.beside(old, i)
		beside := newLinesBeside(Citation{After: above, Before: below}, a.snippet)
		fmt.Fprintf(b, "\tbeside %q %q: %d of %d, whole %t\n", above, below, beside.best(now, places), len(places), kind == whole)
		cite := Citation{Path: "a", Line: i + 1, Snippet: strings.TrimSpace(before[i])}
		known := newJob("", cite)
		known.commit = "c"
		known.judge(now, p, "a")
		if d := known.doubt; d != nil && !known.done {
			fmt.Fprintf(b, "\tin doubt: %s\n", d.o.tell())
			if i%2 == 0 {
				d.refute()
				known.dead = true
			}
			known.settle(d.o, now, "a", d.offset)
		}
		if !known.done {
			known.stand(p, "a")
		}
		known.conclude()
		fmt.Fprintf(b, "\twith the old file: %s\n", known.tell())
		for _, dead := range []bool{false, true} { // by the count of its text alone
			counted := newJob("", cite)
			counted.dead = dead
			counted.stand(p, map[bool]string{false: "a", true: "b"}[dead])
			fmt.Fprintf(b, "\tcounted: %s\n", counted.tell())
		}
		for _, one := range []struct {
			name string
			edit func(*Citation)
		}{
			{"text", func(*Citation) {}}, {"surroundings", func(c *Citation) { c.Surroundings = old.Around(i, i).String() }}, {"neighbours", func(c *Citation) { c.After, c.Before = above, below }},
			{"a part", func(c *Citation) { c.Snippet = c.Snippet[len(c.Snippet)/3:] }}, {"no line", func(c *Citation) { c.Line = 0 }},
			{"a range", func(c *Citation) {
				c.EndLine = min(i+4, old.Len())
				c.Snippet = strings.Join(before[i:c.EndLine], "\n")
			}},
			{"an ellipsis", func(c *Citation) { c.Snippet = c.Snippet[:(len(c.Snippet)+1)/2] + "…" }},
		} {
			c := cite
			one.edit(&c)
			alone := newJob("", c)
			alone.tried, alone.asked = true, true
			alone.judge(now, nil, "a")
			alone.conclude()
			fmt.Fprintf(b, "\tby %s: %s\n", one.name, alone.tell())
			if one.name == "a part" || one.name == "a range" {
				both := newJob("", c)
				both.commit = "c"
				both.judge(now, p, "a")
				if d := both.doubt; d != nil && !both.done {
					both.settle(d.o, now, "a", d.offset)
				}
				fmt.Fprintf(b, "\tby %s with the old file: %s\n", one.name, both.tell())
			}
		}
	}
	b.WriteString("\n")
}
