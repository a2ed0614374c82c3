package userhook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/userhook"
	"github.com/agit-suite/agit/shared/fault"
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

// The error quotes the last 2000 bytes of what a hook printed, in however many pieces it printed them.
func TestEndOfWhatAHookPrints(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a POSIX shell's")
	}
	for name, test := range map[string]struct{ command, want string }{
		"nothing":     {"exit 1", ""},
		"white space": {"echo; exit 1", ""},
		"both ways":   {"echo one; echo two >&2; exit 1", ": one\ntwo"},
		"few":         {"printf %1999s x; exit 1", ": x"},
		"many": {"for i in 1 2 3 4 5 6 7; do printf '%999s.' $i; sleep 0.01; done; exit 1",
			": " + strings.TrimSpace(fmt.Sprintf("%999s.%999s.", "6", "7"))},
		"one too much": {"printf 'a%1999sb' x; exit 1", ": xb"},
		"as many":      {"printf 'a%1998sb' x; exit 1", ": a" + strings.Repeat(" ", 1997) + "xb"},
		"cut letters":  {"printf 'ä%1998sb' x; exit 1", ": ?" + strings.Repeat(" ", 1997) + "xb"},
	} {
		t.Run(name, func(t *testing.T) {
			var printed bytes.Buffer
			err := userhook.Run(t.Context(), userhook.Hooks{Name: "pre_merge", Commands: []string{test.command}, Dir: t.TempDir(), Env: os.Environ(), Output: &printed})
			want := fmt.Sprintf("the pre_merge hook %q failed (exit status 1)%s", test.command, test.want)
			if got := fault.From(err).Message; got != want {
				t.Errorf("\n got %q\nwant %q", got, want)
			}
			if name == "both ways" && printed.String() != "one\ntwo\n" {
				t.Errorf("printed %q", printed.String())
			}
		})
	}
}

// A hook may leave something running that holds its output, and is put into another command by Through.
func TestHooksAndOtherCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a POSIX shell's")
	}
	var printed bytes.Buffer
	h := userhook.Hooks{Name: "post_spawn", Dir: t.TempDir(), Env: append(os.Environ(), "WHO=ann"), Output: &printed}
	h.Commands = []string{"sleep 3 & echo $! >pid; echo done"}
	if err := userhook.Run(t.Context(), h); err != nil || printed.String() != "done\n" {
		t.Errorf("one that leaves something running: %v, printed %q", err, printed.String())
	}
	printed.Reset()
	h.Commands = []string{`echo "$WHO"`}
	h.Through = func(command, env []string) (through, changed []string, err error) {
		return append([]string{"nice", "-n", "0"}, command...), append(env, "WHO=bob"), nil
	}
	if err := userhook.Run(t.Context(), h); err != nil || printed.String() != "bob\n" {
		t.Errorf("through another command: %v, printed %q", err, printed.String())
	}
	refused := errors.New("no sandbox")
	h.Through = func([]string, []string) (through, changed []string, err error) { return nil, nil, refused }
	if err := userhook.Run(t.Context(), h); !errors.Is(err, refused) {
		t.Errorf("without a sandbox: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.Through, h.Limit = nil, time.Minute
	if err := userhook.Run(ctx, h); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
