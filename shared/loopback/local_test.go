package loopback_test

import (
	"testing"

	"github.com/agit-suite/agit/shared/loopback"
)

// Only names of this machine are local: other hosts, and names that merely contain one, are refused.
func TestIsLocal(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:3847": true, "127.0.0.1": true, "127.0.0.1:3847": true, "127.8.9.1": true, "[::1]:3847": true, "::1": true,
		"": false, ":3847": false, "localhost.example.com": false, "127.0.0.1.example.com": false, "example.com:80": false, "0.0.0.0": false,
		"192.168.0.1": false, "[fe80::1]": false, "localhost:80:80": false,
	} {
		if got := loopback.IsLocal(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
