package open

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestGitHubToken: the token of the environment or of gh, for the host that it is for.
func TestGitHubToken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program of the test is a shell script")
	}
	folder := t.TempDir()
	script := "#!/bin/sh\n[ \"$*\" = 'auth token --hostname git.example.com' ] && echo of-gh\n"
	if err := os.WriteFile(filepath.Join(folder, "gh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"} {
		t.Setenv(name, "")
	}
	const server = "https://git.example.com/api/v3"
	for _, c := range []struct{ name, value, base, want string }{
		{"", "", server, "of-gh"},
		{"", "", "https://api.github.com", ""},
		{"GITHUB_TOKEN", "one", "https://api.github.com", "one"},
		{"GH_TOKEN", "two", "https://api.github.com", "two"}, // before the other
		{"", "", "https://api.octo.ghe.com", "two"},
		{"", "", "http://127.0.0.1:4000", "two"},
		{"", "", server, "of-gh"}, // what is for github.com is not given away
		{"GITHUB_ENTERPRISE_TOKEN", "three", server, "three"},
		{"", "", "https://github.com.example.org/api/v3", "three"},
	} {
		if c.name != "" {
			t.Setenv(c.name, c.value)
		}
		got, err := githubToken(t.Context(), c.base)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("for %s it is %q, want %q (%v)", c.base, got, c.want, err)
		}
		if err != nil && !strings.Contains(err.Error(), "none was found for github.com") {
			t.Errorf("%v", err)
		}
	}
}
