package term

import (
	"context"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int{"1\n": 0, " 2 \n": 1, "\n": -1, "": -1, "3\n2\n": 1, "x\n0\n9\n": -1} {
		s, in, out, errs := Test()
		s.PretendTerminal(40)
		in.WriteString(answer)
		got, err := s.Choose(context.Background(), "Which worktree?", []string{"one", "two, which has a name that is longer than the line"})
		if err != nil || got != want {
			t.Errorf("answer %q: %d, %v", answer, got, err)
		}
		if !strings.HasPrefix(errs.String(), "1  one\n2  two, which has a name that is long…\nWhich worktree? [1-2, Enter for none] ") || out.Len() > 0 {
			t.Errorf("asked %q", errs)
		}
	}
}
