package cli

import "testing"

// An example that continues on the next line is still one command to a shell.
func TestContinued(t *testing.T) {
	for line, want := range map[string]string{
		"agit add .": "agit add .",
		"agit bug report 'It fails badly' --in T-1 --agent ann":      "agit bug report 'It fails badly' \\\n      --in T-1 --agent ann",
		"echo '{\"a\": \"b | c\"}' | agit hook stop --client x":      "echo '{\"a\": \"b | c\"}' \\\n      | agit hook stop --client x",
		"agit work --agent ann -- client --yes --file {brief}":       "agit work --agent ann -- client \\\n      --yes --file {brief}",
		"agit x 'one text that is wider than all there is room for'": "agit x \\\n      'one text that is wider than all there is room for'",
	} {
		if got := continued(line, 36); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", line, got, want)
		}
	}
}
