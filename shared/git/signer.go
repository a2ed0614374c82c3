package git

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
)

// signerTime is how long a signer may take to fail again.
const signerTime = 10 * time.Second

// CommitFault is Fault for a commit that git did not make. It adds the signer's reason when the commit could not be signed.
func (r *Repo) CommitFault(ctx context.Context, err error, format string, args ...any) *fault.Fault {
	f := Fault(err, format, args...)
	if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Stderr, "failed to sign") {
		return f
	}
	if why := r.WhySigningFailed(ctx); why != "" && !strings.Contains(f.Message, why) {
		f.Message += ": " + why
	}
	return f.WithHint("check that `git commit-tree -S HEAD^{tree}` signs on a terminal, then try again")
}

// WhySigningFailed returns the output of the user's signer when it cannot sign. It returns "" when signing works, and for ssh, whose output
// git passes on. git before 2.41 hides the output ("gpg failed to sign the data"). The signer is told not to prompt.
func (r *Repo) WhySigningFailed(ctx context.Context) string {
	value := func(args ...string) string {
		out, err := r.Run(ctx, append([]string{"config"}, args...)...)
		if err != nil {
			return ""
		}
		return out
	}
	program, args := "gpg", []string{"--status-fd=2", "--batch", "--pinentry-mode=cancel", "-bsau"}
	switch format := value("--get", "gpg.format"); format {
	case "", "openpgp":
		program = cmp.Or(value("--type=path", "--get", "gpg.openpgp.program"), value("--type=path", "--get", "gpg.program"), program)
	case "x509":
		program, args = cmp.Or(value("--type=path", "--get", "gpg.x509.program"), "gpgsm"), []string{"--status-fd=2", "--batch", "-bsau"}
	default:
		return ""
	}
	key := value("--get", "user.signingkey")
	if key == "" {
		ident, err := r.Run(ctx, "var", "GIT_COMMITTER_IDENT")
		if err != nil {
			return ""
		}
		key, _, _ = strings.Cut(ident, ">")
		key += ">"
	}
	ctx, cancel := context.WithTimeout(ctx, signerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(args, key)...)
	cmd.Env, cmd.Stdin = Environment(), strings.NewReader("a test\n")
	said := head{max: maxStderr}
	cmd.Stderr = &said
	err := runGroup(ctx, cmd)
	if err == nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(said.kept.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "[GNUPG:]") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return err.Error()
	}
	return strings.Join(lines, "; ")
}
