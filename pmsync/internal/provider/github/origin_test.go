package github

import "testing"

func TestRepositoryAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ address, configured, want string }{
		{"git@github.com:octo/app.git", "", "octo/app"},
		{"https://github.com/octo/app", "https://api.github.com", "octo/app"},
		{"https://gitlab.com/octo/app", "", ""},
		{"https://git.example.com/octo/app", "https://git.example.com/api/v3", "octo/app"},
		{"https://github.com/octo/app", "https://git.example.com", ""},
		{"https://github.com/octo/app", "http://127.0.0.1:4000", "octo/app"},
		{"/srv/app", "", ""},
	} {
		if got := RepositoryAt(c.address, c.configured); got != c.want {
			t.Errorf("%q under %q is %q, want %q", c.address, c.configured, got, c.want)
		}
	}
}
