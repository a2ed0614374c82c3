package repo

import "testing"

func TestTheRegistryKeepsNoSecretOfARemote(t *testing.T) {
	for remote, want := range map[string]string{
		"https://user:s3cret@example.com/a/b.git": "https://example.com/a/b.git",
		"https://t0ken@example.com/a":             "https://example.com/a",
		"HTTP://a:b%@c@example.com?x=@y":          "HTTP://example.com?x=@y",
		"https://example.com/a@b":                 "https://example.com/a@b",
		"ssh://git@example.com:22/a":              "ssh://git@example.com:22/a",
		"ssh://git:s3cret@example.com/a":          "ssh://git@example.com/a",
		"git@example.com:a/b.git":                 "git@example.com:a/b.git",
		"/srv/git/a@b":                            "/srv/git/a@b",
		"":                                        "",
	} {
		if got := withoutSecret(remote); got != want {
			t.Errorf("withoutSecret(%q) = %q, want %q", remote, got, want)
		}
	}
}
