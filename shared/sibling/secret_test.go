package sibling_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/sibling"
)

func TestSecret(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	for name, c := range map[string]struct{ command, secret, wrong string }{
		"a line":           {"echo s3cr3t-value", "s3cr3t-value", ""},
		"the first line":   {"printf ' s3cr3t-value \\nuser: ann\\n'", "s3cr3t-value", ""},
		"quotes and pipes": {"printf '%s' 's3cr3t value' | tr ' ' '-'", "s3cr3t-value", ""},
		"nothing":          {"true", "", "printed nothing"},
		"a failure":        {"echo s3cr3t-value; echo locked >&2; exit 3", "", "exit status 3: locked"},
		"no such program":  {"no-such-program-anywhere", "", "exit status 127"},
		"talks too much":   {"echo s3cr3t-value; echo wrong: s3cr3t-value >&2; exit 1", "", "exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			secret, err := sibling.Secret(context.Background(), "providers.linear.api_key_command", c.command)
			if secret != c.secret {
				t.Errorf("secret %q, not %q", secret, c.secret)
			}
			if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("error %v does not say %q", err, c.wrong)
			}
			if err != nil && strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("the error shows what was printed: %v", err)
			}
		})
	}
}
