#!/bin/sh
# Written by `make docs` from integration/release/install.sh. Installs the programs of the
# suite into a container, from an archive of the releases whose checksum is compared.
# VERSION is the feature's option; RELEASES and PREFIX are for mirrors and tests.
set -eu
releases=${RELEASES:-https://github.com/agit-suite/agit/releases}
prefix=${PREFIX:-/usr/local}
version=${VERSION:-latest}

missing=""
for tool in curl tar sha256sum git; do command -v $tool > /dev/null || missing="$missing $tool"; done
[ -z "$missing" ] || {
  command -v apt-get > /dev/null || { echo "agit: install$missing first" >&2; exit 1; }
  apt-get update -y && apt-get install -y --no-install-recommends ca-certificates curl tar coreutils git
}
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) echo "agit: there is no archive for $(uname -m)" >&2; exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
from=$releases/latest/download
[ "$version" = latest ] || from=$releases/download/v${version#v}
curl -fsSL -o checksums.txt "$from/checksums.txt"
archive=$(sed -n "s/^[0-9a-f]*  \(agit_.*_linux_$arch\.tar\.gz\)$/\1/p" checksums.txt)
[ -n "$archive" ] || { echo "agit: release $version has no archive for linux $arch" >&2; exit 1; }
curl -fsSL -o "$archive" "$from/$archive"
grep "  $archive\$" checksums.txt | sha256sum -c - > /dev/null || { echo "agit: the checksum of $archive is not that of the release; nothing was installed" >&2; exit 1; }
mkdir files && tar -xzf "$archive" -C files
mkdir -p "$prefix/bin"
for file in files/*; do
  [ ! -f "$file" ] || [ ! -x "$file" ] || install -m 755 "$file" "$prefix/bin/"
done
