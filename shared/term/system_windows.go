package term

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableEscapes asks an older console to interpret escape sequences; where it
// cannot, colour comes out as text and --no-color is the answer.
func enableEscapes(f *os.File) {
	var mode uint32
	h := windows.Handle(f.Fd())
	if windows.GetConsoleMode(h, &mode) == nil {
		_ = windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	}
}

// unbroken returns f: a write into a closed pipe is an error here anyway.
func unbroken(f *os.File) *os.File { return f }
