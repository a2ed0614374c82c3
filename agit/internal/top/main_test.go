package top

import (
	"os"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	time.Local = time.UTC // the time on the screens below
	os.Exit(m.Run())
}
