package sibling

import (
	"os/exec"
	"testing"
)

// The output of a program is kept up to a limit: an answer from its beginning, errors up to their end, where the reason stands.
func TestCapped(t *testing.T) {
	for _, test := range []struct {
		writes   []string
		keepTail bool
		want     string
		over     bool
	}{
		{[]string{"abc", "de"}, false, "abcde", false},
		{[]string{"abc", "def"}, false, "abcde", true},
		{[]string{"abcde", "f", "g"}, false, "abcde", true},
		{[]string{"abcdefgh"}, false, "abcde", true},
		{[]string{"abc", "de"}, true, "abcde", false},
		{[]string{"abc", "def"}, true, "bcdef", true},
		{[]string{"abcde", "f", "g"}, true, "cdefg", true},
		{[]string{"abc", "defgh"}, true, "defgh", true},
		{[]string{"abcdefgh"}, true, "defgh", true},
	} {
		c := &capped{limit: 5, keepTail: test.keepTail}
		for _, s := range test.writes {
			if n, err := c.Write([]byte(s)); n != len(s) || err != nil {
				t.Errorf("%q: %d, %v", s, n, err)
			}
		}
		if c.kept.String() != test.want || c.over != test.over {
			t.Errorf("%q, the end %v: %q, over %v; want %q, %v", test.writes, test.keepTail, c.kept.String(), c.over, test.want, test.over)
		}
	}
}

// os/exec copies a program's output through ReadFrom if the writer has it.
func TestCappedOfAProcess(t *testing.T) {
	t.Parallel()
	for _, keepTail := range []bool{false, true} {
		c := &capped{limit: 1000, keepTail: keepTail}
		loud := call(t, "loud")
		cmd := exec.Command(loud.Program)
		cmd.Env, cmd.Stderr = loud.Env, c
		if err := cmd.Run(); err == nil || c.kept.Len() != 1000 || !c.over {
			t.Errorf("the end %v: %d bytes, over %v, %v", keepTail, c.kept.Len(), c.over, err)
		}
	}
}
