. "$DOCS/fakeclient.sh"
agit import plan.ndjson > /dev/null || exit 1
agit tasks create "crash: three" --id P-3 > /dev/null 2>&1 || exit 1
agit work --agent ann --client claude --until-empty --attempts 1 > /dev/null 2>&1
[ $? = 1 ] || exit 1
