# What the reader fetched from the releases page: an archive, whose programs here lead to those under test, and the checksums.
mkdir release release/man
for program in agit agit-mcp agit-top agit-web pmsync pmsync-mcp memoryd memoryd-mcp citecheck citecheck-mcp classify classify-mcp; do
  printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$program")" > "release/$program"
done
touch release/README.md release/man/agit.1
tar -czf agit_1.0.0_linux_amd64.tar.gz -C release . && rm -r release
sha256sum agit_1.0.0_linux_amd64.tar.gz > checksums.txt
