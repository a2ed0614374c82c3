// Package wall puts a sandbox around the programs of an agent: its client, and the gate, which runs the agent's code. In it the host is
// read-only, except for the worktree and the paths that git writes for a commit there. Folders with keys, /tmp and the suite's own home
// are empty. A Wall is safe for concurrent use, and only a trial of the sandbox starts processes.
//
// wall.go finds the configured sandbox and reports an error when it is unavailable. room.go lists what is visible and writable, for
// every kind of sandbox; git.go covers linked worktrees and clients.go the clients' state folders. bwrap.go, seatbelt.go, docker.go and
// own.go build the command lines.
package wall

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// Kind is a kind of sandbox.
type Kind string

// The kinds.
const (
	None     Kind = ""
	Bwrap    Kind = "bwrap"        // bubblewrap, on Linux
	Seatbelt Kind = "sandbox-exec" // macOS's own
	Docker   Kind = "docker"       // a container of an image
	Own      Kind = "command"      // the user's own command
)

// Settings select a sandbox.
type Settings struct {
	Sandbox  []string // "bwrap", "sandbox-exec", "docker:IMAGE", or the words of a command; empty for no sandbox
	Write    []string // further writable paths
	Read     []string // visible paths that would otherwise be hidden
	Hide     []string // further hidden paths
	Home     string   // the user's home folder
	Data     string   // the suite's home
	Registry string   // the registry's file
}

// Spec is a parsed sandbox setting.
type Spec struct {
	Kind  Kind
	Image string   // for Docker
	Words []string // for Own
}

// Parse parses a sandbox setting. A ValidationError lists the valid values.
func Parse(words []string) (s Spec, err error) {
	if len(words) == 0 || len(words) == 1 && (words[0] == "" || words[0] == "none") {
		return s, nil
	}
	first := words[0]
	image, isDocker := strings.CutPrefix(first, "docker:")
	switch {
	case len(words) > 1:
		return Spec{Kind: Own, Words: words}, checkWords(words)
	case isDocker && image != "" && !strings.HasPrefix(image, "-"):
		return Spec{Kind: Docker, Image: image}, nil
	case first == string(Bwrap), first == string(Seatbelt):
		return Spec{Kind: Kind(first)}, nil
	case filepath.IsAbs(first):
		return Spec{Kind: Own, Words: words}, nil
	}
	return s, fault.Validation("work.sandbox", "%q is not a sandbox", first).
		WithHint("it is bwrap, sandbox-exec, docker:IMAGE, none, or a command of your own as a list: [\"firejail\", \"--whitelist={write}\", \"--\"]")
}

// Wall is a sandbox that was tried and works on this machine. A nil Wall means no sandbox.
type Wall struct {
	Spec
	set  Settings
	path string // path of its program
}

// Find returns the sandbox of the settings, nil for none. A sandbox that is unavailable here is a ProviderError with the reason and the
// next step: no command runs without the requested sandbox.
func Find(ctx context.Context, set Settings) (*Wall, error) {
	spec, err := Parse(set.Sandbox)
	if err != nil || spec.Kind == None {
		return nil, err
	}
	w := &Wall{Spec: spec, set: set}
	return w, w.try(ctx)
}

// Name returns the sandbox's name for people.
func (w *Wall) Name() string {
	switch {
	case w == nil:
		return "none"
	case w.Kind == Docker:
		return "docker:" + w.Image
	case w.Kind == Own:
		return filepath.Base(w.Words[0])
	}
	return string(w.Kind)
}

// try finds the sandbox's program and runs a command in it.
func (w *Wall) try(ctx context.Context) error {
	program := string(w.Kind)
	if w.Kind == Own {
		program = w.Words[0]
	}
	switch {
	case w.Kind == Bwrap && runtime.GOOS != "linux":
		return refuse("bwrap works on Linux alone", elsewhere())
	case w.Kind == Seatbelt && runtime.GOOS != "darwin":
		return refuse("sandbox-exec works on macOS alone", elsewhere())
	}
	if w.path = sibling.OnPath(program); w.path == "" {
		step := map[Kind]string{Bwrap: "install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`)", Docker: "install Docker, or podman as docker"}[w.Kind]
		return refuse("the program "+program+" was not found", cmp.Or(step, "check work.sandbox"))
	}
	var args []string
	switch w.Kind {
	case Bwrap:
		args = append(bwrapBase(), "--", "/bin/sh", "-c", "exit 0")
	case Seatbelt:
		args = []string{"-p", "(version 1)(allow default)", "/usr/bin/true"}
	case Docker:
		args = []string{"image", "inspect", "--format", "{{.Id}}", w.Image}
	case Own:
		return nil // it is the user's own command
	}
	a, err := sibling.Ask(ctx, sibling.Call{Program: w.path, Args: args, Env: os.Environ(), Timeout: tryTime})
	if err != nil {
		return refuse(fault.From(err).Message, stepFor(w.Kind, w.Image, ""))
	}
	if a.Status != 0 {
		said := strings.Join(strings.Fields(string(a.Err)), " ")
		return refuse(said, stepFor(w.Kind, w.Image, said))
	}
	return nil
}

// tryTime bounds the trial of a sandbox.
const tryTime = 20 * time.Second

func refuse(why, step string) error {
	f := fault.Provider(nil, "the sandbox is not available: %s", why).WithHint("%s; or turn it off with work.sandbox = \"none\"", step)
	f.Retryable = false
	return f
}

func elsewhere() string {
	if runtime.GOOS == "darwin" {
		return "use sandbox-exec or docker:IMAGE"
	}
	return "use docker:IMAGE, or on Linux bwrap"
}

// stepFor returns the next step for a sandbox's error message.
func stepFor(kind Kind, image, said string) string {
	switch kind {
	case Bwrap:
		if strings.Contains(said, "namespace") || strings.Contains(said, "uid map") || strings.Contains(said, "Operation not permitted") {
			return "allow user namespaces: in a container run it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined; on Ubuntu give bwrap an AppArmor profile, " +
				"else `sysctl kernel.unprivileged_userns_clone=1`"
		}
		return "run `bwrap --ro-bind / / --dev /dev --proc /proc true` to see what is missing"
	case Docker:
		return "start Docker and get the image with `docker pull " + image + "`"
	}
	return "check work.sandbox"
}

// Wanted is the configured sandbox. It is looked for on first use, because most commands run nothing in it. A nil Wanted means no
// sandbox. It is safe for concurrent use.
type Wanted struct {
	Settings Settings

	mu    sync.Mutex
	found *Wall
	done  bool
}

// Get returns the sandbox, nil for none; errors are those of Find. After an error it is looked for again.
func (w *Wanted) Get(ctx context.Context) (*Wall, error) {
	if w == nil {
		return nil, nil //nolint:nilnil // no wall is wanted
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return w.found, nil
	}
	found, err := Find(ctx, w.Settings)
	if err == nil {
		w.found, w.done = found, true
	}
	return found, err
}

// Name returns a name that distinguishes the sandbox from others, "" for none. It does not check that the sandbox is available.
func (w *Wanted) Name() string {
	if w == nil {
		return ""
	}
	if s, err := Parse(w.Settings.Sandbox); err == nil && s.Kind == None {
		return ""
	}
	return strings.Join(w.Settings.Sandbox, " ")
}

// Cache returns the folder used as the user's cache in the sandbox, by a name for those who share it; "" without a sandbox.
func (w *Wall) Cache(name string) string {
	if w == nil {
		return ""
	}
	return filepath.Join(w.set.Data, "cache", "walls", name)
}

// Setting returns the configuration of the sandbox, empty without one.
func (w *Wall) Setting() []string {
	if w == nil {
		return []string{}
	}
	return w.set.Sandbox
}
