package sibling

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
)

// secretTimeout is how long a command may take to print a secret: a person may
// have to unlock something.
const secretTimeout = time.Minute

// Secret runs the command that the configuration has under key, and returns the first line it prints. No error contains its output.
func Secret(ctx context.Context, key, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, secretTimeout)
	defer cancel()
	cmd := Shell(ctx, command)
	cmd.WaitDelay = grace
	out, errs := &capped{limit: maxErrors}, &capped{limit: maxErrors, keepTail: true}
	cmd.Stdout, cmd.Stderr = out, errs
	err := cmd.Run()
	first, _, _ := strings.Cut(strings.TrimSpace(out.kept.String()), "\n")
	secret := strings.TrimSpace(first)
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fault.Validation(key, "the command under `%s` did not print a secret within %s", key, secretTimeout)
	case errors.As(err, &status):
		return "", fault.Validation(key, "the command under `%s` failed with exit status %d%s", key, status.ExitCode(), lastWords(errs.kept.String(), secret))
	case err != nil:
		return "", fault.Validation(key, "the command under `%s` could not be run: %v", key, err)
	case secret == "":
		return "", fault.Validation(key, "the command under `%s` printed nothing", key)
	}
	return secret, nil
}

// lastWords returns the last line of a command's errors behind a colon; "" when it is empty or holds the secret.
func lastWords(text, secret string) string {
	text = strings.TrimSpace(text)
	line := redact.Clean(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]))
	if line == "" || secret != "" && strings.Contains(line, secret) {
		return ""
	}
	return ": " + line
}
