package redact_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/redact"
)

func BenchmarkRedact(b *testing.B) {
	for name, text := range map[string]string{
		"a task": "Retry the upload with jitter. The API answers 429 in bursts; see src/upload/retry.go:120 and the notes of the last review.",
		"prose":  strings.Repeat("The importer reads a page at a time and keeps what it has read, so that a broken connection costs one page. ", 500),
		"code":   strings.Repeat("\tif key, err := token.Key(pass); err != nil { return fmt.Errorf(\"pass %q: %w\", key, err) }\n", 500),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				redact.Redact(text)
			}
		})
	}
}
