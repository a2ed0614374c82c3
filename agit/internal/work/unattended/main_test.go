package unattended

import (
	"os"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && clients[os.Args[1]] != nil {
		clients[os.Args[1]](os.Args[2:])
		return
	}
	gittest.Isolate()
	home, err := os.MkdirTemp("", "agit-home-") // of a memoryd that may be installed here
	if err == nil {
		err = os.Setenv("AGIT_HOME", home)
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}
