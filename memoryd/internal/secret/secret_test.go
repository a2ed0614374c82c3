package secret_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agit-suite/agit/memoryd/internal/secret"
)

// fill makes n characters of an alphabet, so that no real-looking key stands in
// this file.
func fill(alphabet string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(alphabet[(i*7+i/3)%len(alphabet)])
	}
	return b.String()
}

const (
	alnum = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8cF0"
	hex   = "0123456789abcdef"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

func TestRedact(t *testing.T) {
	for kind, tokens := range map[string][]string{
		"AWS key":            {"AKIA" + fill(upper, 16), "ASIA" + fill(upper, 16)},
		"GitHub token":       {"ghp_" + fill(alnum, 36), "gho_" + fill(alnum, 36), "github_pat_" + fill(alnum, 40)},
		"GitLab token":       {"glpat-" + fill(alnum, 20)},
		"Slack token":        {"xoxb-" + fill("0123456789", 12) + "-" + fill(alnum, 24)},
		"Anthropic key":      {"sk-ant-" + fill(alnum, 40)},
		"OpenAI key":         {"sk-" + fill(alnum, 48), "sk-proj-" + fill(alnum, 60)},
		"Stripe key":         {"sk_live_" + fill(alnum, 24), "rk_test_" + fill(alnum, 24)},
		"Google key":         {"AIza" + fill(alnum, 35)},
		"npm token":          {"npm_" + fill(alnum, 36)},
		"PyPI token":         {"pypi-" + fill(alnum, 60)},
		"SendGrid key":       {"SG." + fill(alnum, 22) + "." + fill(alnum, 43)},
		"Telegram token":     {"123456789:AA" + fill(alnum, 33)},
		"DigitalOcean token": {"dop_v1_" + fill(hex, 64)},
		"Linear key":         {"lin_api_" + fill(alnum, 40)},
		"Hugging Face token": {"hf_" + fill(alnum, 34)},
		"Vault token":        {"hvs." + fill(alnum, 30)},
		"JWT":                {"eyJ" + fill(alnum, 20) + ".eyJ" + fill(alnum, 30) + "." + fill(alnum, 43)},
		"private key":        {"-----BEGIN RSA PRIVATE KEY-----\n" + fill(alnum, 64) + "\n-----END RSA PRIVATE KEY-----"},
	} {
		for _, token := range tokens {
			clean, kinds := secret.Redact("use " + token + " there")
			if clean != "use [redacted "+kind+"] there" || len(kinds) != 1 || kinds[0] != kind {
				t.Errorf("%s: %.12s… became %q %q", kind, token, clean, kinds)
			}
		}
	}
}

func TestRedactInPlace(t *testing.T) {
	for given, want := range map[string]string{
		"postgres://app:hunter2x@db.local:5432/app":                      "postgres://app:[redacted URL password]@db.local:5432/app",
		"export API_KEY=" + fill(alnum, 32):                              "export API_KEY=[redacted secret]",
		`{"client_secret": "` + fill(alnum, 24) + `"}`:                   `{"client_secret": "[redacted secret]"}`,
		"DB_PASSWORD=s3cr3t!pass":                                        "DB_PASSWORD=[redacted password]",
		"the password is tr0ub4dor":                                      "the password is [redacted password]",
		"aws_secret_access_key = " + fill(alnum, 40):                     "aws_secret_access_key = [redacted AWS key]",
		"Authorization: Bearer " + fill(alnum, 40):                       "Authorization: Bearer [redacted authorization]",
		"AccountKey=" + fill(alnum, 86) + "==;Suffix=x":                  "AccountKey=[redacted Azure key];Suffix=x",
		"-----BEGIN OPENSSH PRIVATE KEY-----\n" + fill(alnum, 64) + "\n": "[redacted private key]",
	} {
		if got, _ := secret.Redact(given); got != want {
			t.Errorf("%.40q… became %q, want %q", given, got, want)
		}
	}
}

func TestProseStays(t *testing.T) {
	for _, s := range []string{
		"", "the token bucket refills every second", "password: see the vault", "set PASSWORD=${DB_PASSWORD}", "token = os.Getenv(\"TOKEN\")",
		"postgres://user:password@localhost/db", "the secret is to keep transactions short", "https://example.com/a:b@c",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"api_key: see docs/2024/keys.md", "uuid 123e4567-e89b-12d3-a456-426614174000", "sk-learn is scikit-learn", "pass --token-file to the CLI",
		"the key is user_id", "access token lifetime is 15 minutes", "Basic authentication for internal services", "auth token: config.v2.token",
	} {
		if got, kinds := secret.Redact(s); got != s || kinds != nil {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestRedactTwiceIsOnce(t *testing.T) {
	once, _ := secret.Redact("password=s3cr3t!x token=" + fill(alnum, 40))
	if twice, kinds := secret.Redact(once); twice != once || kinds != nil {
		t.Errorf("%q became %q", once, twice)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("password=s3cr3t!x")
	f.Add("a://b:c@d ghp_")
	f.Fuzz(func(t *testing.T, s string) {
		clean, kinds := secret.Redact(s)
		if (clean == s) != (kinds == nil) || utf8.ValidString(s) && !utf8.ValidString(clean) {
			t.Errorf("%q became %q, %q", s, clean, kinds)
		}
	})
}
