. "$DOCS/fakeclient.sh"
agit tasks create "good: one" > /dev/null 2>&1 || exit 1
