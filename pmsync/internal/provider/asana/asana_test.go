package asana_test

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

func TestConformance(t *testing.T) { conformance.Run(t, conformance.Asana()) }

func TestTraffic(t *testing.T) { conformance.Traffic(t, "asana", conformance.Asana()) }
