package userhook_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/userhook"
)

func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a POSIX shell's")
	}
	long := strings.Repeat("0123456789", 1000)
	for name, test := range map[string]struct {
		commands []string
		limit    time.Duration
		made     string   // of the file that commands write
		fails    []string // what the error contains; nil for none
		leavesIn string   // what it must not contain
	}{
		"none":                {},
		"one after other":     {commands: []string{"printf a >>made", "printf b >>made"}, made: "ab"},
		"in its folder":       {commands: []string{`test "$PWD" = "$HERE" && printf "$WHO" >made`}, made: "ann"},
		"first failure":       {commands: []string{"echo broken >&2; exit 3", "printf a >made"}, fails: []string{"post_spawn", "exit status 3", "broken"}},
		"too slow":            {commands: []string{"sleep 600 & sleep 600"}, limit: 20 * time.Millisecond, fails: []string{"longer than 20ms", "hooks.timeout"}},
		"end of what it says": {commands: []string{"echo first; echo " + long + "; echo last; exit 1"}, fails: []string{"last"}, leavesIn: ": first"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			var printed bytes.Buffer
			err = userhook.Run(t.Context(), userhook.Hooks{Name: "post_spawn", Commands: test.commands, Limit: test.limit, Dir: dir,
				Env: append(os.Environ(), "HERE="+dir, "WHO=ann"), Output: &printed})
			if (err != nil) != (test.fails != nil) {
				t.Fatalf("%v, printed %q", err, printed.String())
			}
			for _, part := range test.fails {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error lacks %q: %v", part, err)
				}
			}
			if err != nil && test.leavesIn != "" && strings.Contains(err.Error(), test.leavesIn) {
				t.Errorf("the error is too long: %d bytes", len(err.Error()))
			}
			if made, _ := os.ReadFile(filepath.Join(dir, "made")); string(made) != test.made {
				t.Errorf("made %q, want %q", made, test.made)
			}
		})
	}
}
