package github_test

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

func TestGitHub(t *testing.T) { conformance.Run(t, conformance.GitHub()) }

func TestGitHubBoard(t *testing.T) { conformance.Run(t, conformance.GitHubBoard()) }
