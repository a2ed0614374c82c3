package redact_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/benchtest"
	"github.com/agit-suite/agit/shared/redact"
)

// BenchmarkRedact: taking secrets out of a text, beside one regular expression for
// one kind of secret.
func BenchmarkRedact(b *testing.B) {
	one := regexp.MustCompile(`(?i)\b(?:api_?key|secret|token|password)\s*[:=]\s*\S{8,}`)
	for name, text := range map[string]string{
		"a task": "Retry the upload with jitter. The API answers 429 in bursts; see src/upload/retry.go:120 and the notes of the last review.",
		"prose":  strings.Repeat("The importer reads a page at a time and keeps what it has read, so that a broken connection costs one page. ", 500),
		"code":   strings.Repeat("\tif key, err := token.Key(pass); err != nil { return fmt.Errorf(\"pass %q: %w\", key, err) }\n", 500),
	} {
		b.Run(name, func(b *testing.B) {
			benchtest.Beside(b, "regexp", benchtest.Of(func() error { redact.Redact(text); return nil }),
				benchtest.Of(func() error { one.ReplaceAllString(text, "[removed]"); return nil }))
		})
	}
}
