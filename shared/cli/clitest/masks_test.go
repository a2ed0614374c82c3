package clitest

import "testing"

func TestMasksOfCommits(t *testing.T) {
	for _, c := range []struct{ is, want string }{
		{"main 584a376 is", "main <c-1:7> is"},
		{"main 5840376 is", "main <c-1:7> is"}, // one of 27 has no letter
		{"main abcdeff is", "main <c-1:7> is"},
		{"since 58403761 is", "since <c-1:8> is"},
		{"since 5840376101 is", "since <c-1:10> is"},
		{`"of": "5840376"`, `"of": "<c-1:7>"`},
		{"5840376 5840377 584037612", "<c-1:7> <c-2:7> 584037612"},
		{"5840376 58403761", "<c-1:7> <c-1:8>"},
		{"1000000 bytes, 58403 lines", "1000000 bytes, 58403 lines"},
		{"index 0000000..5840376", "index 0000000..<c-1:7>"},
	} {
		if got := NewMasks(t).Apply(c.is); got != c.want {
			t.Errorf("the masks make %q of %q, not %q", got, c.is, c.want)
		}
	}
}
