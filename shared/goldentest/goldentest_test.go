package goldentest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDiffer(t *testing.T) {
	for _, c := range []struct{ got, want, differ string }{
		{"a\n", "a\n", ""},
		{"", "", ""},
		{"a\n\tb\nc\n", "a\n\tx\nc\n", "a\n- \tx\n+ \tb\n"},
		{"a\nb", "a", "a\n- (nothing)\n+ b\n"},
		{"a", "a\nb", "a\n- b\n+ (nothing)\n"},
		{"x\ny", "y\ny", "- y\n+ x\n"},
		{"x\n y", "y\n z", "- y\n+ x\nx\n-  z\n+  y\n"},
		{strings.Repeat("\tx\n", 9), strings.Repeat("\ty\n", 9), strings.Repeat("- \ty\n+ \tx\n", shown)},
	} {
		if got := Differ(c.got, c.want); got != c.differ {
			t.Errorf("%q beside %q:\n%swant\n%s", c.got, c.want, got, c.differ)
		}
	}
}

// kept records a failure instead of failing.
type kept struct {
	testing.TB
	says string
}

func (k *kept) Helper()                   {}
func (k *kept) Errorf(s string, a ...any) { k.says += fmt.Sprintf(s, a...) }

func TestSame(t *testing.T) {
	t.Chdir(t.TempDir())
	k := &kept{TB: t}
	Same(k, "told/one.txt", "a\nb\n", true)
	Same(k, "told/one.txt", "a\nb\n", false)
	if k.says != "" {
		t.Errorf("what was written differs: %s", k.says)
	}
	if err := os.WriteFile("testdata/told/one.txt", []byte("a\r\nb\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if Same(k, "told/one.txt", "a\nb\n", false); k.says != "" {
		t.Errorf("line ends of a checkout count: %s", k.says)
	}
	if Same(k, "told/one.txt", "a\nc\n", false); !strings.HasSuffix(k.says, "review the difference:\na\n- b\n+ c\n") {
		t.Errorf("got %q", k.says)
	}
}
