package spawn

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
)

const (
	shortLength = 6  // characters that tell worktrees apart
	slugLength  = 40 // characters of a branch that tell people what it is about
)

// slug makes the readable part of a branch name from a text: its first line in
// lower case, letters and digits of any script, everything else a dash.
func slug(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	var b strings.Builder
	count, dash := 0, false
	for _, r := range strings.ToLower(s) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || r == utf8.RuneError {
			dash = b.Len() > 0
			continue
		}
		if count == slugLength || b.Len()+utf8.RuneLen(r) > 3*slugLength {
			break
		}
		if dash {
			b.WriteByte('-')
			dash = false
			count++
		}
		b.WriteRune(r)
		count++
	}
	if b.Len() == 0 {
		return "work"
	}
	return b.String()
}

// names are what a new worktree is called on disk.
type names struct{ branch, folder string }

// nameFor returns the branch <prefix><slug>-<short> for a text, and the folder <slug>-<short>. When a branch is asked for, it names the
// folder after that: the branch's last part after a dash is the short id when it has the form of one.
func nameFor(prefix, text, branch string) (names, error) {
	if branch == "" {
		folder := slug(redact.Clean(text)) + "-" + newShort()
		branch = prefix + folder
		if !git.ValidBranch(branch) {
			return names{}, fault.Validation("branch_prefix", "branches cannot begin with %q", prefix).
				WithHint("set worktree.branch_prefix to something like \"agit/\"")
		}
		return names{branch, folder}, nil
	}
	if !git.ValidBranch(branch) {
		return names{}, fault.Validation("branch", "git does not allow a branch named %.200q", branch).
			WithHint("leave out spaces and the characters ~ ^ : ? * [ \\, and do not begin with a dash")
	}
	if rest, found := strings.CutPrefix(branch, "refs/"); found {
		return names{}, fault.Validation("branch", "a branch named %.200q would be hard to tell from git's own %.200q", branch, branch).
			WithHint("leave out what git puts before a branch: --branch %s", strings.TrimPrefix(rest, "heads/"))
	}
	if why := notPortable(branch); why != "" {
		return names{}, fault.Validation("branch", "a branch named %.200q cannot be checked out on Windows: %s", branch, why).
			WithHint("choose another name, so that everybody can fetch it")
	}
	if _, secrets := redact.Redact(branch); secrets != nil {
		return names{}, fault.Validation("branch", "the branch's name holds a secret: %s", redact.Kinds(secrets)).
			WithHint("choose another name; names of branches are seen by everybody")
	}
	base := branch[strings.LastIndexByte(branch, '/')+1:]
	if i := strings.LastIndexByte(base, '-'); i > 0 && isShort(base[i+1:]) {
		return names{branch, slug(base[:i]) + "-" + strings.ToLower(base[i+1:])}, nil
	}
	return names{branch, slug(base) + "-" + newShort()}, nil
}

// notPortable returns why Windows cannot have a file named like the branch or a part of it; "" when it can. Names of devices are not
// allowed with any extension (Naming Files, Paths, and Namespaces, Win32).
func notPortable(branch string) string {
	if at := strings.IndexAny(branch, `<>|"`); at >= 0 {
		return fmt.Sprintf("it holds a %c", branch[at])
	}
	for part := range strings.SplitSeq(branch, "/") {
		name, _, _ := strings.Cut(strings.ToLower(part), ".")
		switch {
		case strings.HasSuffix(part, "."):
			return "a part of it ends with a dot"
		case slices.Contains([]string{"con", "prn", "aux", "nul"}, name),
			len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) && strings.ContainsAny(name[3:], digits):
			return fmt.Sprintf("%q is a device there", part)
		}
	}
	return ""
}

func isShort(s string) bool {
	return len(s) == shortLength && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
}

// newShort returns characters that tell worktrees apart. They hold a digit, as words do not, so that Readable finds them.
func newShort() string {
	for {
		if short := registry.ShortID(shortLength); strings.ContainsAny(short, digits) {
			return short
		}
	}
}

const digits = "0123456789"

// Readable returns the name of a worktree's folder without its last characters if they only tell it apart from others: they hold a digit,
// and words do not.
func Readable(folder string) string {
	at := len(folder) - shortLength - 1
	if at > 0 && folder[at] == '-' && strings.ContainsAny(folder[at:], digits) {
		return folder[:at]
	}
	return folder
}

// Names returns the names that people and commands use for worktrees, by their paths: the readable name of the folder where it is unique,
// else the folder's whole name, else the id. A worktree without a row has git's name of it.
func Names(worktrees []worktree.Worktree) map[string]string {
	names, times := map[string]string{}, map[string]int{}
	for _, w := range worktrees {
		names[w.Path] = Readable(filepath.Base(w.Path))
		if !w.Row() {
			names[w.Path] = w.Listed
		}
		times[names[w.Path]]++
	}
	for _, whole := range []func(worktree.Worktree) string{
		func(w worktree.Worktree) string { return filepath.Base(w.Path) },
		func(w worktree.Worktree) string { return w.Ref },
	} {
		again := map[string]int{}
		for _, w := range worktrees {
			if times[names[w.Path]] > 1 && w.Row() {
				names[w.Path] = whole(w)
			}
			again[names[w.Path]]++
		}
		times = again
	}
	return names
}
