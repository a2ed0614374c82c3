// Command release makes what a release consists of, apart from the binaries,
// which goreleaser builds:
//
//	release tag VERSION [REV]         a commit of REV that `go install …@VERSION` takes, and its tags
//	release proxy VERSION DIR [REV]   the modules of that commit as a file-system module proxy
//	release npm VERSION DIST OUT      packages for npm of the archives in DIST
//	release pip VERSION DIST OUT      wheels for pip of them
//	release bundles DIST              .mcpb bundles and server.json files of the archives in DIST
//	release goreleaser                .goreleaser.yaml for the programs that exist
//	release flake                     flake.nix for the programs and the modules they need
//	release feature DIR               the feature for dev containers
//
// It runs in the repository, checks nothing out there, and publishes nothing.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"golang.org/x/mod/semver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

var errUsage = errors.New("usage: release tag VERSION [REV] | proxy VERSION DIR [REV] | npm VERSION DIST OUT | pip VERSION DIST OUT | bundles DIST | goreleaser | flake | feature DIR")

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 1 && args[0] == "goreleaser" {
		return writeConfig(".", out)
	}
	if len(args) == 1 && args[0] == "flake" {
		return writeFlake(".", out)
	}
	if len(args) < 2 {
		return errUsage
	}
	if len(args) == 2 && args[0] == "bundles" {
		return bundleAll(".", args[1])
	}
	if len(args) == 2 && args[0] == "feature" {
		return writeFeature(args[1])
	}
	version, rest := args[1], args[2:]
	if semver.Canonical(version) != version {
		return fmt.Errorf("%q is not a version such as v1.2.3", version)
	}
	switch {
	case args[0] == "tag" && len(rest) <= 1:
		r, err := newRelease(ctx, ".", or(rest, 0, "HEAD"), version)
		if err != nil {
			return err
		}
		defer r.close()
		if err := r.tag(ctx); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s is release %s\nnext: git push origin %s\n", r.commit, version, joined(r.tags()))
		return nil
	case args[0] == "proxy" && (len(rest) == 1 || len(rest) == 2):
		r, err := newRelease(ctx, ".", or(rest, 1, "HEAD"), version)
		if err != nil {
			return err
		}
		defer r.close()
		return r.proxy(rest[0])
	case args[0] == "npm" && len(rest) == 2:
		return eachArchive(version, rest[0], newNPM(version, rest[1]))
	case args[0] == "pip" && len(rest) == 2:
		w, err := newWheels(version, rest[1])
		if err != nil {
			return err
		}
		return eachArchive(version, rest[0], w)
	}
	return errUsage
}

func or(args []string, at int, otherwise string) string {
	if at < len(args) {
		return args[at]
	}
	return otherwise
}
