package brief_test

import (
	"encoding/json"
	"testing"

	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/shared/benchtest"
)

// BenchmarkFit: cutting a large brief to its limit, beside one pass of encoding it.
func BenchmarkFit(b *testing.B) {
	var one brief.Brief
	benchtest.Beside(b, "json", benchtest.Side{
		Prepare: func() error { one = large(40, 400); return nil },
		Run:     func() error { one.Fit(brief.Limit); return nil },
	}, benchtest.Side{
		Prepare: func() error { one = large(40, 400); return nil },
		Run:     func() error { _, err := json.Marshal(one); return err },
	})
}
