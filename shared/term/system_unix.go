//go:build !windows

package term

import "os"

// enableEscapes does nothing: terminals here understand escape sequences.
func enableEscapes(*os.File) {}
