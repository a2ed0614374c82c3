package azuredevops_test

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

func TestConformance(t *testing.T) { conformance.Run(t, conformance.AzureDevOps()) }

func TestTraffic(t *testing.T) { conformance.Traffic(t, "azuredevops", conformance.AzureDevOps()) }
