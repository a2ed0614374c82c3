package wall

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/shared/door"
	"github.com/agit-suite/agit/shared/sibling"
)

// docker returns a command that runs in a container of an image (docker-run(1)). The container sees nothing of the host but the
// worktree, git's folder, the client's state and the suite's programs, so the image must have the client and the gate's tools.
// Variables are passed by name without values, because everyone can read a command line.
func (w *Wall) docker(r Room, list []mount, command []string) (in Inside) {
	args := []string{"run", "--rm", "--interactive", "--init", "--name", container(r.Run), "--user", strconv.Itoa(os.Getuid()) + ":" + strconv.Itoa(os.Getgid()),
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--workdir", r.Dir, "--mount", option("type=tmpfs", "dst="+w.set.Home, "tmpfs-mode=0777"), "--env", "AGIT_RUN"}
	env := r.Env
	shown := slices.Concat([]string{r.Git.Common}, r.Show)
	for _, m := range list {
		mounted := m.how == write || m.how == read && slices.ContainsFunc(list, func(o mount) bool { return o.how == write && o.at != m.at && below(m.at, o.at) }) ||
			m.how == read && slices.Contains(shown, m.at) || m.how == copied
		if !mounted {
			continue
		}
		parts := []string{"type=bind", "src=" + m.source(), "dst=" + m.at}
		if m.how != write {
			parts = append(parts, "readonly")
		}
		args = append(args, "--mount", option(parts...))
	}
	for _, name := range []string{".gitconfig", ".config/git/config"} { // for the committer's name
		if p := resolved(filepath.Join(w.set.Home, name)); p != "" {
			args = append(args, "--mount", option("type=bind", "src="+p, "dst="+filepath.Join(w.set.Home, name), "readonly"))
		}
	}
	if r.Door != "" {
		args = append(args, "--mount", option("type=bind", "src="+r.Door, "dst="+doorFolder))
		env = with(env, door.Variable+"="+filepath.Join(doorFolder, door.Name))
		args = append(args, suitePrograms()...)
	}
	for _, setting := range env {
		if name, _, _ := strings.Cut(setting, "="); !slices.Contains([]string{"PATH", "TMPDIR", "TMP", "TEMP", "SHELL", "XDG_RUNTIME_DIR"}, name) {
			args = append(args, "--env", name)
		}
	}
	in.Command = append(append([]string{w.path}, args...), w.Image)
	in.Command = append(append(in.Command, bare(command[0], r.Env)), command[1:]...)
	in.Env, in.Maker, in.after = with(env, "HOME="+w.set.Home), "docker", func() { w.End(context.Background(), r.Run) }
	return in
}

// suitePrograms mounts the suite's own programs, which the image may lack. They need no libraries.
func suitePrograms() (args []string) {
	if runtime.GOOS != "linux" {
		return nil // the image must have them
	}
	for _, name := range []string{"agit", "memoryd", "pmsync", "citecheck", "classify"} {
		if path, err := sibling.Find(name); err == nil {
			args = append(args, "--mount", option("type=bind", "src="+path, "dst=/usr/local/bin/"+name, "readonly"))
		}
	}
	return args
}

// bare returns a program's name without its folder if PATH finds it: it may be elsewhere in the container.
func bare(program string, env []string) string {
	if slices.Contains(programs(env), filepath.Dir(program)) {
		return filepath.Base(program)
	}
	return program
}

// option joins the parts of --mount in one CSV line.
func option(parts ...string) string {
	for i, p := range parts {
		if strings.ContainsAny(p, `",`) {
			parts[i] = `"` + strings.ReplaceAll(p, `"`, `""`) + `"`
		}
	}
	return strings.Join(parts, ",")
}

// container returns the name of a run's container.
func container(run string) string { return "agit-" + run }

// End removes what a sandbox keeps of a run besides its processes: the container, which outlives the program that started it.
func (w *Wall) End(ctx context.Context, run string) {
	if w == nil || w.Kind != Docker {
		return
	}
	_, _ = sibling.Ask(ctx, sibling.Call{Program: w.path, Args: []string{"rm", "--force", container(run)}, Env: os.Environ(), Timeout: tryTime})
}
