agit tasks create app "Say who wrote the README" --quiet > /dev/null
