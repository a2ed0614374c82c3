package git

import (
	"io"
	"os"
	"os/exec"
	"slices"
)

// Show runs git in r for a person, with the given streams and the environment of the user, whose pager, colours and language hold when out
// is a terminal. It returns when the pager has ended, even if it is interrupted: the pager handles the interrupt. It writes no index.
func (r *Repo) Show(o Options, in io.Reader, out, errs io.Writer, args ...string) error {
	var full []string
	for _, setting := range slices.Concat(o.Config, harmless) {
		full = append(full, "-c", setting)
	}
	cmd := exec.Command("git", append(full, args...)...)
	cmd.Dir = r.Dir()
	cmd.Env = append(UserEnvironment(), "GIT_OPTIONAL_LOCKS=0")
	if pager, set := os.LookupEnv("GIT_PAGER"); set {
		cmd.Env = append(cmd.Env, "GIT_PAGER="+pager)
	}
	if r.IndexFile != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+r.IndexFile)
	}
	cmd.Env = append(cmd.Env, o.Env...)
	cmd.Stdin, cmd.Stdout = in, out
	kept := head{max: maxStderr}
	cmd.Stderr = io.MultiWriter(errs, &kept)
	err := cmd.Run()
	if err == nil || slices.Contains([]int{-1, 141}, cmd.ProcessState.ExitCode()) {
		return nil // the reader of a pipe left, or the pager was quit
	}
	return newError(args, err, kept.kept.String())
}
