package brief_test

import (
	"testing"

	"github.com/agit-suite/agit/agit/internal/brief"
)

func BenchmarkFit(b *testing.B) {
	for b.Loop() {
		one := large(40, 400)
		one.Fit(brief.Limit)
	}
}
