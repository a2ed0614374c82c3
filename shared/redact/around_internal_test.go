package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// drawn returns n characters of an alphabet, the same ones each time.
func drawn(a alphabet, n int) string {
	var from []byte
	for c := byte('!'); c < 0x7f; c++ {
		if is(c, a) && is(c, alphanum) {
			from = append(from, c)
		}
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	var b strings.Builder
	for i := range n {
		b.WriteByte(from[i%len(from)])
	}
	return b.String()
}

// A token with a sign in its middle is found when there are enough characters before and behind the sign and not too many, and no other
// character is beside it.
func TestAround(t *testing.T) {
	t.Parallel()
	for i := range arounds {
		p := &arounds[i]
		hits := func(lead string, before int, behind int, tail string) []hit {
			head := lead
			if before > 0 {
				head += drawn(p.before, before)
			}
			s := text{s: head + p.sign + drawn(p.after, behind) + tail}
			p.find(&s, len(head))
			return s.hits
		}
		found := hits(" ", p.least, p.behind, " ")
		if len(found) != 1 || found[0].kind != p.kind {
			continue // its value must also look made up, which the corpus holds
		}
		from := 1
		if p.part {
			from += len(p.sign)
		}
		if found[0].from != from || found[0].to != 1+p.least+len(p.sign)+p.behind {
			t.Errorf("%s %q: found from %d to %d", p.kind, p.sign, found[0].from, found[0].to)
		}
		for _, c := range []struct {
			name           string
			lead           string
			before, behind int
			tail           string
			want           bool
		}{
			{"a mark behind", " ", p.least, p.behind, "., ", true},
			{"at the end", " ", p.least, p.behind, "", true},
			{"at the beginning", "", p.least, p.behind, " ", true},
			{"too few behind", " ", p.least, p.behind - 1, " ", p.behind == 0},
			{"one more behind", " ", p.least, p.behind + 1, " ", !p.exact || p.behind <= 1},
			{"two more behind", " ", p.least, p.behind + 2, " ", !p.exact},
			{"as many before as possible", " ", p.most, p.behind, " ", true},
			{"too few before", " ", p.least - 1, p.behind, " ", false},
			{"too many before", " ", p.most + 1, p.behind, " ", false},
			{"a character before", "x", p.least, p.behind, " ", p.part},
		} {
			if c.before < 0 || c.behind < 0 || p.most == 0 && strings.Contains(c.name, "before") && c.name != "a character before" {
				continue
			}
			if p.most > 0 && c.name == "a character before" && is('x', p.before) {
				continue
			}
			if got := len(hits(c.lead, c.before, c.behind, c.tail)) > 0; got != c.want {
				t.Errorf("%s %q, %s: found %v", p.kind, p.sign, c.name, got)
			}
		}
	}
	bot := text{s: "bot" + drawn(digit, 9) + ":AA" + drawn(word, 33)}
	for i := range arounds {
		if arounds[i].sign == ":AA" {
			arounds[i].find(&bot, 12)
		}
	}
	if len(bot.hits) != 1 || bot.hits[0].from != 3 {
		t.Errorf("the token of a bot's address: %+v", bot.hits)
	}
}
