. "$DOCS/fakeclient.sh"
