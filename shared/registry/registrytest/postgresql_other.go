//go:build !unix

package registrytest

import "errors"

// ownServer has no way to run a server that ends with the process on this system.
func ownServer() (string, error) {
	return "", errors.New("name a server that runs")
}
