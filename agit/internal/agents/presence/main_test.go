package presence_test

import (
	"os"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}
