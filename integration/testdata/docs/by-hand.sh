. "$DOCS/fakeclient.sh"
agit import plan.ndjson > /dev/null || exit 1
