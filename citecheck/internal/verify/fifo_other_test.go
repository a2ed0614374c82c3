//go:build !unix

package verify_test

import "testing"

func fifo(*testing.T, string) {}
