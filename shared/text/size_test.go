package text_test

import (
	"testing"

	"github.com/agit-suite/agit/shared/text"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1.0 KB", 10188: "9.9 KB", 10189: "10 KB", 1179648: "1.1 MB", 512 << 20: "512 MB",
		1<<20 - 1: "1.0 MB", 2 << 30: "2.0 GB", 5 << 40: "5120 GB",
	} {
		if got := text.Size(bytes); got != want {
			t.Errorf("%d: %q, not %q", bytes, got, want)
		}
	}
}
