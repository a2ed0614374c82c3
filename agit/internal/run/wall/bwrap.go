package wall

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/agit-suite/agit/shared/door"
)

// bwrapBase returns the options of bubblewrap (bwrap(1)) for every run: a read-only view of the host; processes, devices and /tmp of
// its own; and an end together with the program that started it. Root loses its capabilities, with which it could remove the mounts
// that hide folders.
func bwrapBase() []string {
	args := []string{"--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	for _, p := range private {
		if info, err := os.Lstat(p); err == nil && info.IsDir() {
			args = append(args, "--tmpfs", p)
		}
	}
	return args
}

// resolving are files below /run that name resolution needs.
var resolving = []string{"/run/systemd/resolve", "/run/NetworkManager/resolv.conf", "/run/resolvconf", "/run/nscd"}

// bwrap returns a command that runs in bubblewrap. The content of a copied file is passed through an open descriptor, so that the run
// changes only its own copy.
func (w *Wall) bwrap(r Room, list []mount, command []string) (in Inside, err error) {
	args := bwrapBase()
	for _, p := range resolving {
		args = append(args, "--ro-bind-try", p, p)
	}
	news := map[string]bool{}
	var shut []string
	for _, m := range list {
		news[m.at] = m.how == fresh
		switch m.how {
		case read:
			args = append(args, "--ro-bind", m.source(), m.at)
		case write:
			args = append(args, "--bind", m.source(), m.at)
		case empty, fresh:
			if m.how == empty { // only after the paths inside it are mounted
				shut = append(shut, "--remount-ro", m.at)
			}
			args = append(args, "--perms", "0700", "--tmpfs", m.at)
		case blank:
			args = append(args, "--ro-bind", os.DevNull, m.at)
		case copied:
			f, err := os.Open(m.source())
			if err != nil {
				continue // it was deleted meanwhile
			}
			in.Files = append(in.Files, f)
			way := "--bind-data" // over an existing file
			if news[filepath.Dir(m.at)] {
				way = "--file"
			}
			args = append(args, "--perms", "0600", way, strconv.Itoa(2+len(in.Files)), m.at)
		}
	}
	env := with(r.Env, "TMPDIR=/tmp", "TMP=/tmp", "TEMP=/tmp")
	if r.Cache != "" {
		env = caches(env, w.cacheFolder(env))
	}
	if r.Door != "" {
		args = append(args, "--ro-bind", r.Door, doorFolder)
		env = with(env, door.Variable+"="+filepath.Join(doorFolder, door.Name))
	}
	args = append(append(args, shut...), "--chdir", r.Dir, "--")
	in.Command = append(append([]string{w.path}, args...), command...)
	in.Env, in.Maker = env, "bwrap"
	return in, nil
}
