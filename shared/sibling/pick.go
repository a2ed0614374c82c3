package sibling

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Choice is one line that a person may pick.
type Choice struct {
	Key  string // what Pick returns; without tabs and line feeds
	Text string // what the person reads
}

// Picker reports whether fzf, the program for picking a line, is installed.
func Picker() bool { return Installed("fzf") }

// Pick lets a person choose a line with fzf, which draws on terminal, the standard error of the command: standard output may be captured.
// preview is a shell command that shows a choice, with {1} for its key. It returns "" when the person chose none, and an Operation fault
// when fzf failed.
func Pick(ctx context.Context, terminal io.Writer, prompt, preview string, choices []Choice) (key string, err error) {
	var lines, out bytes.Buffer
	for _, c := range choices {
		lines.WriteString(c.Key + "\t" + c.Text + "\n")
	}
	cmd := exec.CommandContext(ctx, "fzf", "--delimiter=\t", "--with-nth=2..", "--no-multi", "--layout=reverse", "--height=60%", "--prompt="+prompt+"> ", "--preview="+preview)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &lines, &out, terminal
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && (exit.ExitCode() == 1 || exit.ExitCode() == 130) { // no match, or Escape
		return "", nil
	}
	if err != nil {
		return "", fault.Operation(err, "choose with fzf").WithHint("name it instead")
	}
	key, _, _ = strings.Cut(strings.TrimRight(out.String(), "\n"), "\t")
	return key, nil
}
