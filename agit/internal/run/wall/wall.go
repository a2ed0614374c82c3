// Package wall puts a sandbox around what an agent starts: its client, and the gate, which runs what the agent wrote. Behind the wall the
// host can be read and not written, but for the worktree and for what git writes when it commits there; folders of keys are empty, and
// so are /tmp and the suite's own home.
//
// wall.go finds the sandbox that the configuration names and refuses one that cannot be had, never in silence. room.go says what
// can be seen and written, for every kind of sandbox alike; git.go what git needs for a linked worktree, clients.go the state folders
// of clients. bwrap.go, seatbelt.go, docker.go and own.go make the command lines. The package starts no processes but to try a sandbox.
// A Wall is safe for concurrent use.
package wall

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/sibling"
)

// Kind is a way to make a wall.
type Kind string

// The kinds.
const (
	None     Kind = ""
	Bwrap    Kind = "bwrap"        // bubblewrap, on Linux
	Seatbelt Kind = "sandbox-exec" // macOS's own
	Docker   Kind = "docker"       // a container of an image
	Own      Kind = "command"      // the user's own command
)

// Settings say which wall is wanted.
type Settings struct {
	Sandbox  []string // "bwrap", "sandbox-exec", "docker:IMAGE", or the words of a command; none is no wall
	Write    []string // further paths that can be written
	Read     []string // paths that are shown though they would be hidden
	Hide     []string // further paths that are hidden
	Home     string   // the user's
	Data     string   // the suite's home
	Registry string   // the registry's file
	Gate     bool     // of the configuration, so that gates run behind it too
}

// Spec is what the words of a sandbox mean.
type Spec struct {
	Kind  Kind
	Image string   // of Docker
	Words []string // of Own
}

// Parse reads the words of a sandbox. A ValidationError names those there are.
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

// Wall is a sandbox that was tried and works here. A nil one is none.
type Wall struct {
	Spec
	set  Settings
	path string // of the program that makes it
}

// Find returns the wall that the settings want, nil for none. One that cannot be had here is a ProviderError with the reason and the step
// that helps: nothing runs without the wall that was asked for.
func Find(ctx context.Context, set Settings) (*Wall, error) {
	spec, err := Parse(set.Sandbox)
	if err != nil || spec.Kind == None {
		return nil, err
	}
	w := &Wall{Spec: spec, set: set}
	return w, w.try(ctx)
}

// Name is what people know the wall by.
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

// try finds the program of the wall, and lets it run something.
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
		if step == "" {
			step = "check work.sandbox"
		}
		return refuse("the program "+program+" was not found", step)
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
		return nil // it is the user's
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

// tryTime is how long a sandbox has to run something.
const tryTime = 20 * time.Second

func refuse(why, step string) error {
	f := fault.Provider(nil, "the sandbox cannot be had: %s", why).WithHint("%s; or turn it off with work.sandbox = \"none\"", step)
	f.Retryable = false
	return f
}

func elsewhere() string {
	if runtime.GOOS == "darwin" {
		return "use sandbox-exec or docker:IMAGE"
	}
	return "use docker:IMAGE, or on Linux bwrap"
}

// stepFor is what helps against what a sandbox said.
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
