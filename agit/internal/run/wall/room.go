package wall

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Room describes the sandbox of one run.
type Room struct {
	Run    string
	Dir    string   // the working folder; writable
	Git    Git      // the git paths for Dir
	Client string   // its state persists; "" for none
	Env    []string // the program's whole environment
	Show   []string // further paths that it must read
	Cache  string   // the folder used as the user's cache, because another program would run files that one agent leaves in a shared cache
	Door   string   // the folder of the socket to the worker; "" for none
}

// Inside is a command that runs in the sandbox.
type Inside struct {
	Command []string
	Env     []string
	Files   []*os.File // files that the command inherits from descriptor 3 on; the caller closes them
	Maker   string     // the name of the sandbox's own processes, which get no signal to end
	after   func()     // cleans up once all its processes have ended
}

// doorFolder is the folder of the socket to the worker in a sandbox with a file system of its own.
const doorFolder = "/run/agit"

// Put returns a command as it runs in the sandbox of a room. Without a sandbox it is unchanged.
func (w *Wall) Put(r Room, command []string) (in Inside, err error) {
	if w == nil {
		return Inside{Command: command, Env: r.Env}, nil
	}
	// git packs nothing, records no conflict resolutions and signs nothing, whose keys are hidden
	r.Env = with(r.Env, "GIT_CONFIG_COUNT=4", "GIT_CONFIG_KEY_3=commit.gpgSign", "GIT_CONFIG_VALUE_3=false", "GIT_CONFIG_KEY_0=gc.auto", "GIT_CONFIG_VALUE_0=0",
		"GIT_CONFIG_KEY_1=maintenance.auto", "GIT_CONFIG_VALUE_1=false", "GIT_CONFIG_KEY_2=rerere.enabled", "GIT_CONFIG_VALUE_2=false")
	if r.Cache != "" {
		for _, folder := range []string{r.Cache, w.cacheFolder(r.Env)} {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return in, fmt.Errorf("make the folder %q: %w", folder, err)
			}
		}
	}
	r.Show = append(slices.Clone(r.Show), slices.DeleteFunc(slices.Clone(command), func(arg string) bool { return !within(arg, private) })...)
	list, err := w.plan(r)
	if err != nil {
		return in, err
	}
	switch w.Kind {
	case Docker:
		return w.docker(r, list, command), nil
	case Seatbelt:
		return w.seatbelt(r, list, command)
	case Own:
		return w.own(r, list, command)
	}
	return w.bwrap(r, list, command)
}

// Through returns Put for the commands of a room without a client, and a function that cleans up.
func (w *Wall) Through(r Room) (put func(command, env []string) (through, changed []string, err error), done func()) {
	var all []Inside
	put = func(command, env []string) (through, changed []string, err error) {
		r.Env = env
		in, err := w.Put(r, command)
		all = append(all, in)
		return in.Command, in.Env, err
	}
	return put, func() {
		for _, in := range all {
			in.Close()
		}
	}
}

// Close cleans up once all processes of the command have ended.
func (in Inside) Close() {
	if in.after != nil {
		in.after()
	}
	for _, f := range in.Files {
		f.Close()
	}
}

// The ways to mount a path.
type how int

const (
	read   how = iota // as on the host, read-only
	empty             // an empty read-only folder
	fresh             // an empty folder that is deleted with the run
	blank             // an empty file
	copied            // a private copy, which is deleted with the run
	write             // as on the host, writable
)

// mount is a path and the way that it and everything below it is mounted.
type mount struct {
	how  how
	at   string
	from string // the host's path if it differs
}

func (m mount) source() string { return cmp.Or(m.from, m.at) }

// private are folders of which each run has its own. /run holds the sockets of services that act for any caller: Docker, the session
// bus, key agents.
var private = []string{"/tmp", "/var/tmp", "/run"}

// hidden are the paths in a home folder where programs keep keys, tokens and typed input.
var hidden = []string{
	".ssh", ".aws", ".gnupg", ".config/gh", ".config/glab-cli", ".config/hub", ".config/gcloud", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".config/git/credentials",
	".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".terraform.d", ".vault-token", ".config/op", ".config/sops", ".password-store",
	".local/share/keyrings", ".pgpass", ".my.cnf", ".config/semfora-pm", ".mozilla", ".config/google-chrome", ".config/chromium", ".bash_history", ".zsh_history",
	"Library/Keychains", "Library/Cookies", ".config/rclone", ".s3cfg", ".config/doctl", ".fly",
}

// plan lists the mounts, folders before their content. Missing paths are left out, except those of Room.
func (w *Wall) plan(r Room) (list []mount, err error) {
	add := func(h how, paths ...string) {
		for _, p := range paths {
			if p = resolved(p); p != "" {
				list = append(list, mount{how: h, at: p})
			}
		}
	}
	shown := slices.Concat([]string{w.set.Home, r.Dir, r.Git.Common, r.Git.Main}, r.Show, programs(r.Env))
	for _, p := range shown {
		if p = resolved(p); within(p, private) || within(p, []string{resolved(w.set.Data)}) {
			list = append(list, mount{how: read, at: p})
		}
	}
	for _, name := range hidden {
		add(hide(filepath.Join(w.set.Home, filepath.FromSlash(name))), filepath.Join(w.set.Home, filepath.FromSlash(name)))
	}
	list = append(list, w.suite()...)
	list = append(list, stateOf(r.Client, w.set.Home, r.Env)...)
	if r.Cache != "" {
		list = append(list, mount{how: write, at: resolved(w.cacheFolder(r.Env)), from: r.Cache})
	}
	for _, p := range w.set.Hide {
		add(hide(w.expand(p)), w.expand(p))
	}
	for _, p := range w.set.Read {
		add(read, w.expand(p))
	}
	for _, p := range w.set.Write {
		if resolved(w.expand(p)) == "" {
			return nil, fault.Validation("work.sandbox_write", "%q of work.sandbox_write does not exist", p).WithHint("make it, or take it out")
		}
		add(write, w.expand(p))
	}
	add(read, r.Show...)
	add(write, r.Dir)
	add(write, r.Git.Write...)
	add(read, r.Git.Fixed...)
	return ordered(list), nil
}

// suite hides the suite's home, and a registry outside of it.
func (w *Wall) suite() (list []mount) {
	if p := resolved(w.set.Data); p != "" {
		list = append(list, mount{how: empty, at: p})
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if p := resolved(w.set.Registry + suffix); p != "" && w.set.Registry != "" && !below(p, resolved(w.set.Data)) {
			list = append(list, mount{how: blank, at: p})
		}
	}
	return list
}

// ordered sorts paths before those below them. Of several mounts of one path the last is used.
func ordered(list []mount) []mount {
	slices.Reverse(list)
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(m mount) bool {
		again := seen[m.at]
		seen[m.at] = true
		return again
	})
	slices.SortStableFunc(list, func(a, b mount) int { return strings.Compare(a.at+"/", b.at+"/") })
	return list
}

// cacheFolder returns the folder for data that programs can recreate.
func (w *Wall) cacheFolder(env []string) string {
	if p := lookUp(env, "XDG_CACHE_HOME"); filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(w.set.Home, ".cache")
}

func (w *Wall) expand(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return filepath.Join(w.set.Home, rest)
	}
	return p
}

func hide(p string) how {
	if info, err := os.Stat(p); err == nil && !info.IsDir() {
		return blank
	}
	return empty
}

// resolved returns an absolute path without links; "" for a missing path.
func resolved(p string) string {
	if !filepath.IsAbs(p) {
		return ""
	}
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return ""
	}
	return real
}

// programs returns the folders in PATH.
func programs(env []string) (list []string) {
	for _, p := range filepath.SplitList(lookUp(env, "PATH")) {
		if p != "" && p != "/" {
			list = append(list, p)
		}
	}
	return list
}

func within(p string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return p != folder && below(p, folder) })
}

// below reports whether p is a folder or lies in it.
func below(p, folder string) bool {
	return folder != "" && (p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/"))
}

func lookUp(env []string, name string) string {
	for _, setting := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(setting, name+"="); ok {
			return value
		}
	}
	return ""
}

// caches points tools to a folder for data that they can recreate, including tools with another default.
func caches(env []string, folder string) []string {
	for _, tool := range [][2]string{{"GOCACHE", "go-build"}, {"npm_config_cache", "npm"}, {"PIP_CACHE_DIR", "pip"}, {"UV_CACHE_DIR", "uv"}} {
		env = with(env, tool[0]+"="+filepath.Join(folder, tool[1]))
	}
	return env
}

// with sets variables in an environment.
func with(env []string, settings ...string) []string {
	env = slices.Clone(env)
	for _, s := range settings {
		name, _, _ := strings.Cut(s, "=")
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, s)
	}
	return env
}
