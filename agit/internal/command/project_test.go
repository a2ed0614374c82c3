package command

import "testing"

func TestCounted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		total int
		parts []part
		want  string
	}{
		{0, []part{{0, "open"}}, "0"}, {3, nil, "3"}, {7, []part{{2, "pending"}, {0, "failed"}, {5, "completed"}}, "7: 2 pending, 5 completed"},
	} {
		if got := counted(test.total, test.parts...); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
