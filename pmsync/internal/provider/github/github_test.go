package github_test

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

func TestGitHub(t *testing.T) { conformance.Run(t, conformance.GitHub()) }

func TestGitHubBoard(t *testing.T) { conformance.Run(t, conformance.GitHubBoard()) }

func TestTraffic(t *testing.T) { conformance.Traffic(t, "github", conformance.GitHub()) }

func TestTrafficOfABoard(t *testing.T) { conformance.Traffic(t, "board", conformance.GitHubBoard()) }
