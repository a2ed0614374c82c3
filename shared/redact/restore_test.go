package redact_test

import (
	"testing"

	"github.com/agit-suite/agit/shared/redact"
)

// The text of a tracker gets its secrets back under an edited text around them, or nothing is restored.
func TestRestore(t *testing.T) {
	const one, two = "Tr0ub4dor-and-3", "Xk29vbTq81mzPw"
	both := "intro\n  password: " + one + " in vault.\npassword: " + two + "\ntoken ghp_" + "0123456789abcdefghijABCDEFGHIJ456789 here\n"
	for name, c := range map[string]struct{ original, edited, want string }{
		"nothing changed":      {both, redact.Clean(both), both},
		"a line more":          {both, redact.Clean(both) + "\nAppended.", both + "\nAppended."},
		"lines swapped":        {both, "password: [redacted password]\n  password: [redacted password] in vault.\n", "password: " + two + "\n  password: " + one + " in vault.\n"},
		"an edited line":       {"password: " + one + " in vault.", "The password: [redacted password] is old.", "The password: " + one + " is old."},
		"one of two, edited":   {both, "The password: [redacted password] is old.", ""},
		"lines alike":          {"password: " + one + "\npassword: " + two, "password: [redacted password]", ""},
		"the same twice":       {"password: " + one + "\npassword: " + one, "a password: [redacted password]", "a password: " + one},
		"no such mark":         {"password: " + one, "[redacted AWS key]", ""},
		"a mark of the author": {"by law [redacted name], password: " + one, "[redacted name] and [redacted password]", "[redacted name] and " + one},
		"no secret":            {"plain", "plainer", "plainer"},
	} {
		got, ok := redact.Restore(c.edited, c.original)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s: %q, %t; want %q", name, got, ok, c.want)
		}
	}
}
