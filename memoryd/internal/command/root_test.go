package command

import (
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

func TestOneCommandIsMade(t *testing.T) { clitest.LazyCommands(t, Root) }

func TestHelpFits(t *testing.T) { clitest.Help(t, Root) }

func TestFlagWords(t *testing.T) { clitest.FlagWords(t, Root, flagWords(), "stats") }

func TestPages(t *testing.T) { clitest.Pages(t, "memoryd", Root) }

func TestShape(t *testing.T) { clitest.Shape(t, "memoryd", Root) }
