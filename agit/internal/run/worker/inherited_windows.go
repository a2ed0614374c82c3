package worker

// sealInherited does nothing: Windows hands over only what is named.
func sealInherited() {}
