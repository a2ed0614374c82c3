//go:build !linux

package scan

import "io/fs"

// each calls fn with every name in f, in no order. The name is valid during the
// call only. buf is not used here.
func (f folder) each(_ []byte, fn func(name []byte, kind kind)) error {
	entries, err := f.read()
	for _, e := range entries {
		k := kindOther
		switch {
		case e.Type().IsRegular():
			k = kindFile
		case e.Type()&fs.ModeSymlink != 0:
			k = kindLink
		case e.IsDir():
			k = kindFolder
		}
		fn([]byte(e.Name()), k)
	}
	return err
}
