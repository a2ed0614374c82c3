package wall

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agit-suite/agit/shared/door"
)

// seatbelt returns a command that runs in macOS's sandbox-exec(1) with a profile; the last matching rule wins. It has no file system of
// its own: temporary files and the cache have other paths, and a file to be copied is only readable.
func (w *Wall) seatbelt(r Room, list []mount, command []string) (in Inside, err error) {
	tmp, err := os.MkdirTemp("", "agit-")
	if err != nil {
		return in, fmt.Errorf("make a folder for temporary files: %w", err)
	}
	if tmp, err = filepath.EvalSymlinks(tmp); err != nil {
		return in, err
	}
	in.Command = append([]string{w.path, "-p", profile(r, list, tmp), "--"}, command...)
	in.Env, in.Maker, in.after = elsewhereEnv(r, tmp), "sandbox-exec", func() { _ = os.RemoveAll(tmp) }
	return in, nil
}

// elsewhereEnv returns the environment of a run whose private folders have other paths than on the host.
func elsewhereEnv(r Room, tmp string) []string {
	env := with(r.Env, "TMPDIR="+tmp, "TMP="+tmp, "TEMP="+tmp)
	if r.Cache != "" {
		env = caches(with(env, "XDG_CACHE_HOME="+r.Cache), r.Cache)
	}
	if r.Door != "" {
		env = with(env, door.Variable+"="+filepath.Join(r.Door, door.Name))
	}
	return env
}

// profile returns a profile in sandbox-exec's language.
func profile(r Room, list []mount, tmp string) string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	line(`(version 1)`)
	line(`(allow default)`)
	line(`(deny file-write*)`)
	line(`(allow file-write* (subpath %s) (subpath "/dev/fd") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))`, quoted(tmp))
	for _, m := range list {
		switch m.how {
		case write:
			line(`(allow file-read* file-write* (subpath %s))`, quoted(m.source()))
		case read, copied:
			line(`(allow file-read* (subpath %[1]s))`+"\n"+`(deny file-write* (subpath %[1]s))`, quoted(m.at))
		case fresh: // the rules for its content follow
		case empty, blank:
			line(`(deny file-read* file-write* (subpath %s))`, quoted(m.at))
		}
	}
	// Services that act for any caller: the sockets of Docker and key agents, other programs through their windows.
	line(`(deny network-outbound (remote unix-socket))`)
	line(`(allow network-outbound (literal "/private/var/run/mDNSResponder"))`)
	if r.Door != "" {
		line(`(allow file-read* (subpath %s))`, quoted(r.Door))
		line(`(allow network-outbound (literal %s))`, quoted(filepath.Join(r.Door, door.Name)))
	}
	line(`(deny appleevent-send)`)
	line(`(deny lsopen)`)
	line(`(deny signal)`)
	line(`(allow signal (target same-sandbox))`)
	return s.String()
}

func quoted(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
