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

// Room is what is behind the wall for one run.
type Room struct {
	Run    string
	Dir    string   // where the program works, and may write
	Git    Git      // of Dir
	Client string   // whose state stays; "" for none
	Env    []string // the program's whole environment
	Show   []string // further paths that it has to read
	Cache  string   // the folder that stands for the user's cache, since what one agent leaves there another would run
	Door   string   // the folder of the socket to the worker; "" for none
}

// Inside is a command behind the wall.
type Inside struct {
	Command []string
	Env     []string
	Files   []*os.File // that the command inherits from descriptor 3 on; the caller closes them
	Maker   string     // the name of the wall's own processes, which are not asked to end
	after   func()     // what is to be done once nothing of it runs
}

// doorFolder is where the socket to the worker is behind a wall that has a file system of its own.
const doorFolder = "/run/agit"

// Put returns a command as it runs behind the wall, for a room. Without a wall it is as it was.
func (w *Wall) Put(r Room, command []string) (in Inside, err error) {
	if w == nil {
		return Inside{Command: command, Env: r.Env}, nil
	}
	r.Env = quietGit(r.Env)
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

// Through returns Put for one command or several of a room that no client is in, and what tidies up after them.
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

// quietGit keeps git behind the wall from what it cannot do there: packing, keeping how conflicts were resolved, and signing, whose keys are hidden.
func quietGit(env []string) []string {
	return with(env, "GIT_CONFIG_COUNT=4", "GIT_CONFIG_KEY_3=commit.gpgSign", "GIT_CONFIG_VALUE_3=false", "GIT_CONFIG_KEY_0=gc.auto", "GIT_CONFIG_VALUE_0=0", "GIT_CONFIG_KEY_1=maintenance.auto", "GIT_CONFIG_VALUE_1=false",
		"GIT_CONFIG_KEY_2=rerere.enabled", "GIT_CONFIG_VALUE_2=false")
}

// Close tidies up once nothing of the command runs.
func (in Inside) Close() {
	if in.after != nil {
		in.after()
	}
	for _, f := range in.Files {
		f.Close()
	}
}

// How a path is seen.
type how int

const (
	read   how = iota // as on the host, and not written
	empty             // an empty folder that is not written
	fresh             // an empty folder that goes with the run
	blank             // an empty file
	copied            // a file of its own with the same content, which goes with the run
	write             // as on the host, and written
)

// mount is a path and how it and all below it is seen.
type mount struct {
	how  how
	at   string
	from string // the host's path when it is another
}

func (m mount) source() string { return cmp.Or(m.from, m.at) }

// private are folders that each run has for itself. /run holds the sockets of services that act for whoever asks: Docker, the session bus, agents of keys.
var private = []string{"/tmp", "/var/tmp", "/run"}

// hidden are the paths in a home where programs keep keys, tokens and what people typed.
var hidden = []string{
	".ssh", ".aws", ".gnupg", ".config/gh", ".config/glab-cli", ".config/hub", ".config/gcloud", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".config/git/credentials",
	".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".terraform.d", ".vault-token", ".config/op", ".config/sops", ".password-store",
	".local/share/keyrings", ".pgpass", ".my.cnf", ".config/semfora-pm", ".mozilla", ".config/google-chrome", ".config/chromium", ".bash_history", ".zsh_history",
	"Library/Keychains", "Library/Cookies", ".config/rclone", ".s3cfg", ".config/doctl", ".fly",
}

// plan lists what is seen how, folders before what lies in them. A path that does not exist is left out, but those of Room.
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

// suite hides the suite's home, and a registry that is elsewhere.
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

// ordered sorts paths before those below them. Of the same path the last counts.
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

// cacheFolder is where programs keep what they can make again.
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

// resolved is an absolute path without links; "" for one that does not exist.
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

// programs are the folders of PATH.
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

// caches leads tools to a folder for what they can make again, also those that keep it elsewhere by default.
func caches(env []string, folder string) []string {
	for _, tool := range [][2]string{{"GOCACHE", "go-build"}, {"npm_config_cache", "npm"}, {"PIP_CACHE_DIR", "pip"}, {"UV_CACHE_DIR", "uv"}} {
		env = with(env, tool[0]+"="+filepath.Join(folder, tool[1]))
	}
	return env
}

// with sets variables of an environment.
func with(env []string, settings ...string) []string {
	env = slices.Clone(env)
	for _, s := range settings {
		name, _, _ := strings.Cut(s, "=")
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, s)
	}
	return env
}
