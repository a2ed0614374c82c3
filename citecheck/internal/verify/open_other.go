//go:build !unix

package verify

const noWait = 0
