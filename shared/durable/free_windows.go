package durable

import "golang.org/x/sys/windows"

// Free returns how many bytes may still be written to the file system of a folder; known is false where the system does not report it.
func Free(dir string) (free uint64, known bool) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err == nil
}
