package registry

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// networkFileSystem returns "network drive" when path lies on one, else "".
func networkFileSystem(path string) string {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil {
		return ""
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "network drive"
	}
	return ""
}
