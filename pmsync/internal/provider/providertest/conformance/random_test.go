package conformance_test

import (
	"fmt"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

func TestRandom(t *testing.T) {
	for name, h := range harnesses {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) { conformance.Random(t, h.make(), seed, 300) })
		}
	}
}
